// The results of one start of a program, as a worker would report them. Pure.
#pragma once

#include <string>
#include <vector>

#include "harness/measure/program/start_program.h"
#include "harness/model/plan.h"
#include "harness/model/record.h"
#include "harness/model/results/program_trace.h"

namespace harness {

// Its own case: how long it took and what it used, as far as it ended well.
ProcessResult result_of_program(const PlannedCase& planned, int process, const ProgramEnd& end);

// Adds the load of the host during a start to the times of a result that suffer from it.
void add_load(ProcessResult& result, const ProgramEnd& end);

// Adds to kernels the places where another start of the program launched them.
void add_callers(ProgramTrace& trace, const std::vector<TracedKernel>& seen);

// Adds to its own result what its trace tells of a step.
void add_trace(ProcessResult& own, const ProgramTrace& trace);

// The kernels of a step as benchmarks, in the order of their first launch.
std::vector<ProcessResult> results_of_kernels(const ProgramTrace& trace, int process, Seconds began);

// Adds to the benchmarks of an observed program what is known of it. The list of its files is in the
// program's own result alone.
void add_identity(std::vector<ProcessResult>& benchmarks, Identity program);

// Leaves of a traced or observed start what it launched, without its times.
void keep_only_look(ProcessResult& result);

// A benchmark in the output of a program as a case beside the program's: "step/BM_copy" of `step`. `like`:
// any case of the program.
PlannedCase benchmark_case(const PlannedCase& like, const std::string& benchmark);

}  // namespace harness
