// Counter session: reads hardware counters of one call through CUPTI's Range Profiler, replaying the call as
// often as the counters take. In a pass of its own: nothing is timed meanwhile. One thread uses it.
#pragma once

#include <cuda.h>

#include <string>
#include <vector>

#include "harness/device/cuda/profiling/counter_host.h"
#include "harness/device/cuda/profiling/kernel_trace.h"

namespace harness::cuda {

// One value a name, in their order. Whatever the profiler refuses becomes the reason of the values that are
// missing for it; an unknown name leaves the others be. An Error only where the device was lost.
Result<std::vector<CounterValue>> read_counters(const Cupti& cupti, CUcontext context, int ordinal,
                                                const TracedWork& work,
                                                const std::vector<std::string>& names);

}  // namespace harness::cuda
