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

// Expands one suite and checks all that it needs.
Checked<RunJob> plan_suite(const RunArguments& all, const std::string& suite, const Policy& policy,
                           const CommandLine& line);

}  // namespace harness
