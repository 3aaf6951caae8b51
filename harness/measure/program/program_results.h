// The results of one start of a program, as a worker would report them. Pure.
#pragma once

#include <string>
#include <vector>

#include "harness/measure/program/start_program.h"
#include "harness/model/plan.h"
#include "harness/model/record.h"

namespace harness {

// Its own case: how long it took and what it used, as far as it ended well.
ProcessResult result_of_program(const PlannedCase& planned, int process, const ProgramEnd& end);

// A benchmark in the output of a program as a case beside the program's: "step/BM_copy" of `step`. `like`:
// any case of the program.
PlannedCase benchmark_case(const PlannedCase& like, const std::string& benchmark);

}  // namespace harness
