// The steps of a traced process: an NVTX range by name, else the period of its launches, else the whole run.
// Pure.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "harness/device/trace/trace_reader.h"
#include "harness/model/results/program_trace.h"

namespace harness::trace {

// Indices into the launches and transfers of a ProcessTrace, in the order of the host's calls.
struct Step {
  std::vector<std::uint32_t> launches;
  std::vector<std::uint32_t> transfers;
};

struct FoundSteps {
  StepSource source = StepSource::whole;
  std::size_t period = 0;   // launches, where they were found by it
  std::vector<Step> steps;  // in order; none: a range was asked for, and the process has none of that name
  std::size_t before = 0;   // launches before the first step
  std::size_t between = 0;  // launches between steps
  bool cut = false;         // the last step lacks copies that the others end with
  std::size_t after = 0;    // launches after the last step
};

// `rule.source` is the best that may be found: `nvtx` takes ranges called rule.range, and nothing else.
FoundSteps find_steps(const ProcessTrace& trace, const StepRule& rule);

}  // namespace harness::trace
