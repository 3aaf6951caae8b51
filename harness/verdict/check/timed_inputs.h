// Whether two cases were timed on the same inputs. Pure.
#pragma once

#include <fmt/format.h>

#include <string>

#include "harness/model/plan.h"

namespace harness {

// A file counts by its bytes, not by its name.
inline bool same_inputs(const Sampling& one, const Sampling& other) {
  if (one.inputs_hash.empty() || other.inputs_hash.empty())
    return one.inputs == other.inputs && one.inputs_hash == other.inputs_hash;
  return one.inputs_hash == other.inputs_hash;
}

// "zeros", "x.safetensors (1f0a6b2c)".
inline std::string inputs_text(const Sampling& how) {
  constexpr std::size_t digits = 8;
  return how.inputs_hash.empty() ? how.inputs
                                 : fmt::format("{} ({})", how.inputs, how.inputs_hash.substr(0, digits));
}

}  // namespace harness
