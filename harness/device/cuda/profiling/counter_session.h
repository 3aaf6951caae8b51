// Counter session: reads hardware counters of one call through CUPTI's Range Profiler, which replays the call
// as often as the counters take. Nothing is timed meanwhile. One thread uses it.
#pragma once

#include <cuda.h>

#include <string>
#include <vector>

#include "harness/device/cuda/profiling/counter_host.h"
#include "harness/device/cuda/profiling/kernel_trace.h"

namespace harness::cuda {

// One value a name, in their order. A value that the profiler refuses has the reason instead; an unknown name
// does not affect the others. An Error only when the device was lost.
Result<std::vector<CounterValue>> read_counters(const Cupti& cupti, CUcontext context, int ordinal,
                                                const TracedWork& work,
                                                const std::vector<std::string>& names);

}  // namespace harness::cuda
