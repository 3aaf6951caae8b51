#include "harness/device/cuda/profiling/cuda_profiler.h"

#include <cuda.h>

#include <utility>

#include "harness/device/cuda/check.h"
#include "harness/device/cuda/profiling/counter_session.h"

namespace harness::cuda {
namespace {

constexpr int traced_rounds = 5;  // enough for a median
constexpr Seconds gate_deadline = 0.05;

// The runtime's own context; null where the driver has no such call. The module does not link libcuda.
CUcontext context_of(cudaStream_t stream) {
  void* found = nullptr;
  cudaDriverEntryPointQueryResult how = cudaDriverEntryPointSymbolNotFound;
  const cudaError_t code =
      cudaGetDriverEntryPointByVersion("cuStreamGetCtx", &found, 9020, cudaEnableLegacyStream, &how);
  if (code != cudaSuccess) (void)cudaGetLastError();
  CUcontext context = nullptr;
  if (code == cudaSuccess && how == cudaDriverEntryPointSuccess)
    (void)reinterpret_cast<CUresult (*)(CUstream, CUcontext*)>(found)(stream, &context);
  return context;
}

}  // namespace

void CudaProfiler::enter(const Place& place) {
  ranges_.enter(place);
  parts_.code.turn("");
  parts_.code.enter(place);
}

Scope CudaProfiler::range(std::string_view name) {
  ranges_.open(name);
  return Scope([this] { ranges_.close(); });
}

TracedWork CudaProfiler::traced(std::function<void()> call, CacheMode cache) {
  return {.call = std::move(call),
          .before_call =
              [this, cache] {
                return cache == CacheMode::cold ? parts_.flusher.flush(parts_.queue.use()) : Status{};
              },
          .synchronize = [this] { return parts_.queue.synchronize(); }};
}

// Calls that follow each other at once are held back by the gate until the last of them is queued. A gate
// that is a kernel is not used: it would be traced, too. Such calls fit a graph, so none of them waits for
// the device. More calls than the driver's queue holds open the gate at its deadline, and are traced all the
// same.
Result<std::vector<KernelUse>> CudaProfiler::kernels(const Work& work, const CallPattern& pattern) {
  if (auto status = usable(); !status) return fail(std::move(status.error()));
  const auto round = [&] {
    const bool gated =
        pattern.calls > 1 && parts_.gate != nullptr && parts_.gate->kind() == GateKind::stream_wait;
    // A gate that cannot be closed only leaves gaps between the calls.
    Result<HeldGate> held = HeldGate();
    if (gated) held = parts_.gate->close(parts_.queue.use(), gate_deadline);
    for (int i = 0; i < pattern.calls; ++i) work(sdk::Stream{parts_.queue.use()});
  };
  TracedWork rounds = traced(round, pattern.cache);
  rounds.calls = static_cast<std::size_t>(pattern.calls);
  parts_.code.end();
  const Result<const Cupti*> found = parts_.code.library();
  if (!found) return fail(found.error());
  return trace_kernels(**found, rounds, traced_rounds, parts_.code.into_book(),
                       [this] { return parts_.code.hashes(); });
}

Result<std::vector<CounterValue>> CudaProfiler::counters(const Work& work, CacheMode cache,
                                                         const std::vector<std::string>& names) {
  if (auto status = usable(); !status) return fail(std::move(status.error()));
  parts_.code.end();
  const Result<const Cupti*> found = parts_.code.library();
  if (!found) {
    std::vector<CounterValue> values;
    for (const std::string& name : names) values.push_back({name, std::nullopt, {}, found.error().message});
    return values;
  }
  const auto call = [&] { work(sdk::Stream{parts_.queue.use()}); };
  return read_counters(**found, context_of(parts_.queue.stream()), parts_.ordinal, traced(call, cache),
                       names);
}

}  // namespace harness::cuda
