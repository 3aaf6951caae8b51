// Proposals: the processes, placements and margin that would find a wanted change. Pure.
#pragma once

#include <cstddef>

#include "harness/study/calibration_options.h"
#include "harness/study/measured_case.h"

namespace harness {

// Sets the detectable change as planned, and the proposal. Neither for a case that decides nothing or does
// not vary. `rows`: those that Holm corrects together.
void propose(MeasuredCase& one, std::size_t rows, const CalibrationOptions& options);

}  // namespace harness
