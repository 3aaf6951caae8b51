// Units and a fitness that several checks of the doctor use.
#pragma once

#include <cstdint>

#include "harness/model/results/examination.h"

namespace harness {

inline constexpr std::uint64_t mib = 1U << 20, gib = 1U << 30;

inline Fitness warn_if(bool bad) {
  return bad ? Fitness::warn : Fitness::ok;
}

}  // namespace harness
