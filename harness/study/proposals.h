// Proposals: the processes, placements and margin that would find a wanted change. Pure.
#pragma once

#include <cstddef>

#include "harness/study/calibration_options.h"
#include "harness/study/measured_case.h"

namespace harness {

// Sets the detectable change as planned, and the proposal, by the rule that decides: with moderated
// variances, and so that an unchanged case passes. Skips a case that decides nothing or does not vary.
// `rows`: those that Holm corrects together. `usual_freedom`: degrees of freedom that moderation adds.
void propose(MeasuredCase& one, std::size_t rows, double usual_freedom, const CalibrationOptions& options);

}  // namespace harness
