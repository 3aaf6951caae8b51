// Combines the conditions of a placement from two readings, right before it and right after. Pure.
#pragma once

#include "harness/model/record.h"

namespace harness {

// Clocks, power and temperature: the mean of both, or the only one. Reasons for a low clock: those of both
// readings, each once. Other processes: the larger number.
Conditions combined(const Conditions& before, const Conditions& after);

}  // namespace harness
