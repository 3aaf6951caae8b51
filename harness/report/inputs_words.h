// The inputs on which a case is timed, in words.
#pragma once

#include <fmt/format.h>

#include <string>

#include "harness/base/text.h"
#include "harness/model/plan.h"

namespace harness::report {

// ", on zeros"; "" for the drawn ones.
inline std::string describe_inputs(const Sampling& how) {
  const auto mode = parse_name<InputsMode>(how.inputs);
  if (mode == InputsMode::drawn) return {};
  if (mode == InputsMode::zeros) return ", on zeros";
  if (mode) return fmt::format(", on {} values", how.inputs);
  return fmt::format(", on `{}`", printable(how.inputs));
}

}  // namespace harness::report
