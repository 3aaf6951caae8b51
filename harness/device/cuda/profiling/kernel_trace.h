// KernelTrace: the pass that looks at which kernels a call launches, through CUPTI's activity records. CUPTI
// instruments what it looks at, so nothing is timed with events while one exists, and it is gone without a
// trace afterwards. One thread makes and ends it; CUPTI's own threads hand buffers in.
#pragma once

#include <functional>
#include <memory>
#include <vector>

#include "harness/device/code/kernel_launches.h"
#include "harness/device/cuda/profiling/subscription.h"

namespace harness::cuda {

// What a trace does with the device, so that it can be tested without one.
struct TracedWork {
  std::function<void()> call;           // queues `calls` of the case
  std::function<Status()> before_call;  // queues what stands before them, the eviction of the cache
  std::function<Status()> synchronize;  // waits for the device
  std::size_t calls = 1;
};

// Makes one round of calls that only warms up what CUPTI instruments and `rounds` that count, and gives the
// kernels of one call. Never a part of them: records that were dropped, or that have no time, are an error.
// `code` is asked when the calls are done, because modules may have been loaded meanwhile.
Result<std::vector<KernelUse>> trace_kernels(const Cupti& cupti, const TracedWork& work, int rounds,
                                             Subscription::OnModule on_module,
                                             const std::function<CodeHashes()>& code);

}  // namespace harness::cuda
