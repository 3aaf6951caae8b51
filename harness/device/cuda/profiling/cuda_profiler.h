// CudaProfiler: looks at kernels and hardware counters through CUPTI, and names ranges through NVTX. CUPTI is
// attached only while it looks. One thread uses it.
#pragma once

#include <string>
#include <vector>

#include "harness/device/code/call_identity.h"
#include "harness/device/cuda/profiling/code_watch.h"
#include "harness/device/cuda/profiling/kernel_trace.h"
#include "harness/device/cuda/profiling/ranges.h"
#include "harness/device/cuda/timing/cache.h"
#include "harness/device/cuda/timing/gate.h"
#include "harness/device/cuda/timing/work_queue.h"
#include "harness/device/profiler.h"

namespace harness::cuda {

// Shared with the other parts of the device; all of it outlives the profiler.
struct ProfilerParts {
  WorkQueue& queue;
  CacheFlusher& flusher;
  Gate* gate;  // null where a tool forbids it
  CodeWatch& code;
  int ordinal;
};

class CudaProfiler final : public Profiler {
 public:
  explicit CudaProfiler(ProfilerParts parts) : parts_(parts) {}

  void enter(const Place& place) override;
  void turn(std::string_view side) override { parts_.code.turn(side); }
  Scope range(std::string_view name) override;
  Scope follow() override;
  Result<Launches> launches(const CaseCalls& calls) override;
  Result<std::vector<KernelUse>> kernels(const Work& work, const CallPattern& pattern) override;
  Result<std::vector<CounterValue>> counters(const Work& work, CacheMode cache,
                                             const std::vector<std::string>& names) override;

 private:
  TracedWork traced(std::function<void()> call, CacheMode cache);
  [[nodiscard]] CallSurroundings surroundings(const CaseCalls& calls);

  ProfilerParts parts_;
  Ranges ranges_;
};

}  // namespace harness::cuda
