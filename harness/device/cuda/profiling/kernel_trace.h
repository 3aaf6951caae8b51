// Kernel trace: finds out which kernels a call launches, through CUPTI's activity records. CUPTI instruments
// what it traces, so nothing is timed meanwhile, and CUPTI is detached afterwards. One thread calls it;
// CUPTI's own threads hand buffers in.
#pragma once

#include <functional>
#include <memory>
#include <vector>

#include "harness/device/code/kernel_launches.h"
#include "harness/device/cuda/profiling/subscription.h"

namespace harness::cuda {

// The device as a trace needs it, so that tests need none.
struct TracedWork {
  std::function<void()> call;           // queues `calls` of the case
  std::function<Status()> before_call;  // queues the eviction of the cache before the calls
  std::function<Status()> synchronize;  // waits for the device
  std::size_t calls = 1;
};

// The kernels of one call, from one round of calls, while a subscription of the caller's is attached. The
// device must be idle.
Result<std::vector<KernelUse>> trace_round(const Cupti& cupti, const TracedWork& work, const CodeOf& code);

// The kernels of one call, from one round of calls that warms up and `rounds` that count, fewer of long
// calls. Never a part of them: dropped records, or records without a time, are an error. `code` is asked
// after the calls, because they may load modules.
Result<std::vector<KernelUse>> trace_kernels(const Cupti& cupti, const TracedWork& work, int rounds,
                                             Subscription::OnModule on_module, const CodeOf& code);

}  // namespace harness::cuda
