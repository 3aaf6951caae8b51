// All of a run that can be wrong is checked before anything is measured.
#pragma once

#include <string>
#include <vector>

#include "harness/base/result.h"
#include "harness/cli/command_line.h"
#include "harness/cli/run/run_job.h"

namespace harness {

// Options that are about one record.
Status check_one_suite(const RunArguments& arguments);

// Expands all suites and checks all that they need.
Checked<std::vector<RunJob>> plan_suites(const RunArguments& arguments, const Policy& policy,
                                         const CommandLine& line);

}  // namespace harness
