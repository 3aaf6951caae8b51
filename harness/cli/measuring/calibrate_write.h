// Proposals of a calibration, written into the suite's text.
#pragma once

#include <string>
#include <vector>

#include "harness/base/result.h"
#include "harness/model/plan.h"
#include "harness/model/results/spread.h"

namespace harness {

// All cases of a suite's text, whatever this machine can run.
Result<Plan> plan_of(const std::string& text, const std::string& file,
                     const std::vector<std::string>& modules);

// Adds an override for each case whose proposal differs from the plan. The suite is then read and expanded
// again, and refused when anything else changed. Returns the number of cases with an override; 0: nothing was
// written.
Result<std::size_t> write_proposals(const std::string& suite_file, const std::vector<std::string>& modules,
                                    const CalibrationReport& report);

}  // namespace harness
