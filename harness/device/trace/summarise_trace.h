// From the traces of a program's processes to its steps and kernels. Pure.
#pragma once

#include <vector>

#include "harness/device/trace/trace_reader.h"
#include "harness/model/results/program_trace.h"

namespace harness::trace {

// Steps of several processes are added up, the last with the last. A process with lost or impossible records
// makes the whole trace void. Where others have steps, the work of a process without any is outside of them.
// If most of the work is in such processes, though, the step is the whole run.
ProgramTrace summarise_trace(const std::vector<ProcessTrace>& processes, const StepRule& rule);

// How many of the first steps do not count: those before the sum of kernel times stays where it is in the
// second half. At most half of them.
std::size_t settling_steps(const std::vector<double>& sums);

}  // namespace harness::trace
