// Proposals: the processes, placements and margin that would find a wanted change. Pure.
#pragma once

#include <cstddef>

#include "harness/study/calibration_options.h"
#include "harness/study/measured_case.h"

namespace harness {

// Sets the detectable change as planned, and the proposal, by the rule that decides: with moderated
// variances, and so that an unchanged case passes. Neither for a case that decides nothing or does not vary.
// `rows`: those that Holm corrects together. `usual_freedom`: degrees of freedom that the variance has
// besides its own, because of what is usual among the cases.
void propose(MeasuredCase& one, std::size_t rows, double usual_freedom, const CalibrationOptions& options);

}  // namespace harness
