// Conditions of a placement from two readings: what the device was like right before and right after.
// Pure.
#pragma once

#include "harness/model/record.h"

namespace harness {

// Clocks, power and temperature: the mean of the two, or the one that was read. Reasons for a low clock:
// those of either end, in order, each once. Other processes: the larger number.
Conditions combined(const Conditions& before, const Conditions& after);

}  // namespace harness
