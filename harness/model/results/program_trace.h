// Program trace: the steps of a program that ran under the trace, and what its GPUs did in them. Made by
// device/trace/, put into words by report/.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "harness/model/record.h"

namespace harness {

// How steps are found, the best first.
enum class StepSource { nvtx, period, whole };
template <>
inline constexpr auto enum_names<StepSource> = names<StepSource>({{StepSource::nvtx, "nvtx"},
                                                                  {StepSource::period, "period"},
                                                                  {StepSource::whole, "whole"}});

struct StepRule {
  StepSource source = StepSource::period;  // with `period`, the whole run where there is none
  std::string range = {};                  // the NVTX range of a step, with `nvtx`

  bool operator==(const StepRule&) const = default;
};

// The rule of a program: "period" and "" are the default, then "whole" and "nvtx:NAME".
inline StepRule step_rule_of(const std::string& text) {
  if (text.starts_with(nvtx_steps))
    return {StepSource::nvtx, text.substr(std::string_view(nvtx_steps).size())};
  return {text == name_of(StepSource::whole) ? StepSource::whole : StepSource::period, {}};
}

// The launches of one kernel with one grid and block, in a step.
struct TracedKernel {
  KernelUse use;              // launches: of a step; us: median time of one launch
  int position = 0;           // of its first launch in a step, from 1
  double share = 0;           // of the kernel time of a step
  std::vector<double> times;  // us a step: all its launches; without steps that lack it
};

// The work of one step, in us.
struct StepTimes {
  std::vector<double> kernel;  // sum of kernel times
  std::vector<double> busy;    // while any kernel ran: less than the sum where kernels overlap
  std::vector<double> copy;    // sum of copies and fills
  std::vector<double> span;    // from its first start to its last end
  std::vector<double> gap;     // of the span, while no GPU of the program did anything
};

struct ProgramTrace {
  std::optional<Cause> fault = {};  // why nothing else is known
  StepSource source = StepSource::whole;
  std::string range = {};                  // with `nvtx`
  std::size_t launches = 0;                // of all processes, in all
  std::size_t transfers = 0;               // copies and fills, likewise
  std::size_t period = 0;                  // launches a step
  std::size_t settling = 0;                // steps at the beginning that do not count
  std::size_t outside = 0;                 // launches before, between and after the steps
  StepTimes steps;                         // that count
  std::vector<TracedKernel> kernels = {};  // in the order of their first launch
  Identity identity = {};                  // of a step
  int processes = 0;                       // that have the steps
  int helpers = 0;                         // processes without steps, beside others that have some
  std::size_t helper_launches = 0;         // of those; part of `outside`
  std::uint64_t bytes = 0;                 // of the trace
  std::string cupti = {};                  // file of the library
};

// A kernel of a program's trace, which is a case beside the program's own.
inline bool is_traced_kernel(const CaseRecord& one) {
  return one.program && one.program->reads == trace_format && one.id != one.program->name;
}

// How a program ran with and without the trace.
struct TraceOverhead {
  Seconds traced = 0;
  Seconds untraced = 0;  // 0: not run
};

// A traced run of a command, for `harness trace`.
struct TracedRun {
  std::string command;
  ProgramTrace trace;
  TraceOverhead overhead;
};

}  // namespace harness
