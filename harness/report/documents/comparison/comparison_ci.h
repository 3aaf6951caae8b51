// A comparison as a CI shows it. Pure.
#pragma once

#include "harness/model/results/comparison.h"
#include "harness/report/ci_view.h"

namespace harness::report {

// A CI that reads only these cases is red exactly when the exit code is not 0.
CiView comparison_ci(const Comparison& comparison);

}  // namespace harness::report
