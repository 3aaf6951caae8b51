// False alarms: how often the rule of compare() calls random halves of unchanged results regressed. Pure.
#pragma once

#include <vector>

#include "harness/study/calibration_options.h"
#include "harness/study/measured_case.h"

namespace harness {

// Sets the alarms of each case, and of the report the splits, the alarms of the suite and their bound. Leaves
// all at 0 where the sides have too few processes.
void count_alarms(std::vector<MeasuredCase>& measured, CalibrationReport& report,
                  const CalibrationOptions& options);

}  // namespace harness
