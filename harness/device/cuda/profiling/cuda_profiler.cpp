#include "harness/device/cuda/profiling/cuda_profiler.h"

#include <cuda.h>

#include <fstream>
#include <utility>

#include "harness/base/environment.h"
#include "harness/base/files.h"
#include "harness/base/text.h"
#include "harness/device/cuda/check.h"
#include "harness/device/cuda/profiling/counter_session.h"
#include "harness/device/host/readable_memory.h"

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

// Shows people why two identities differ. A file that cannot be written is ignored.
void write_text(const std::string& case_id, const CallHistory& history, const CallSurroundings& around) {
  const std::filesystem::path folder = environment::identity_texts();
  if (folder.empty()) return;
  std::ofstream(folder / (content_hash(case_id) + ".txt")) << case_id << "\n"
                                                           << identity_text(history, around);
}

}  // namespace

// With several GPUs nothing is proven. NCCL loads 106 MB of code on each, and makes thousands of calls.
void CudaProfiler::enter(const Place& place) {
  ranges_.enter(place);
  parts_.code.turn("");
  if (parts_.queue.peers().none()) parts_.code.enter(place);
}

Scope CudaProfiler::range(std::string_view name) {
  ranges_.open(name);
  return Scope([this] { ranges_.close(); });
}

TracedWork CudaProfiler::traced(std::function<void()> call, CacheMode cache) {
  return {.call = std::move(call),
          .before_call =
              [this, cache] {
                if (Status awake = parts_.queue.peers().wake(parts_.queue.use()); !awake) return awake;
                return cache == CacheMode::cold ? parts_.flusher.flush(parts_.queue.use()) : Status{};
              },
          .synchronize = [this] { return parts_.queue.synchronize(); }};
}

Scope CudaProfiler::follow() {
  return parts_.code.recorder().record(CaseRecorder::Part::before);
}

// A value that the driver does not tell stays zero, in every process alike.
CallSurroundings CudaProfiler::surroundings(const CaseCalls& calls) {
  CallSurroundings found;
  for (const MemoryRange& one : calls.buffers)
    found.buffers.push_back({reinterpret_cast<std::uint64_t>(one.data), one.bytes});
  found.stream = reinterpret_cast<std::uint64_t>(parts_.queue.stream());
  found.context = parts_.code.context();
  found.code = [this](const DriverCall& kernel) { return parts_.code.whole_hash(kernel); };
  found.host_memory = readable_host_memory();
  int reads_host = 1;
  if (cudaDeviceGetAttribute(&reads_host, cudaDevAttrPageableMemoryAccess, parts_.ordinal) != cudaSuccess)
    (void)cudaGetLastError();
  found.device_reads_host = reads_host != 0;
  for (const auto& [name, limit] : {std::pair{"stack_bytes", cudaLimitStackSize},
                                    {"persisting_cache_bytes", cudaLimitPersistingL2CacheSize}}) {
    std::size_t value = 0;
    if (cudaDeviceGetLimit(&value, limit) != cudaSuccess) (void)cudaGetLastError();
    found.state.emplace_back(name, static_cast<std::int64_t>(value));
  }
  return found;
}

// One further call as it is, and one more that the profiler counts launches of, too.
Result<Launches> CudaProfiler::launches(const CaseCalls& calls) {
  if (auto status = usable(); !status) return fail(std::move(status.error()));
  const auto unseen = [](const Error& error) {
    return Launches{{},
                    Identity{"", Cause{CauseCode::launches_unseen, {{"problem", printable(error.message)}}}}};
  };
  if (const Status watching = parts_.code.watching(); !watching) return unseen(watching.error());
  const Result<const Cupti*> cupti = parts_.code.library();
  if (!cupti) return unseen(cupti.error());
  CaseRecorder& recorder = parts_.code.recorder();
  const cudaStream_t stream = parts_.queue.use();
  const auto call = [&](CaseRecorder::Part part) {
    const Scope recorded = recorder.record(part);
    calls.call(sdk::Stream{stream});
  };
  call(CaseRecorder::Part::one);
  if (Status done = parts_.queue.synchronize(); !done) return fail(std::move(done.error()));
  const TracedWork next = traced([&] { call(CaseRecorder::Part::next); }, CacheMode::hot);
  Result<std::vector<KernelUse>> kernels =
      trace_round(**cupti, next, [this](const std::string& kernel) { return parts_.code.code_hash(kernel); });
  if (Status done = parts_.queue.synchronize(); !done) return fail(std::move(done.error()));
  if (!kernels) return unseen(kernels.error());
  const CallSurroundings around = surroundings(calls);
  recorder.tell_buffers(around.buffers);
  const CallHistory history = recorder.history();
  write_text(parts_.code.case_id(), history, around);
  const std::int64_t seen = launches_in(history.next);
  std::int64_t executed = 0;
  for (const KernelUse& one : *kernels) executed += one.launches;
  Identity identity = identity_of(history, around);
  if (!identity.gap && seen != executed)
    identity = {"", Cause{CauseCode::launches_differ, {{"seen", seen}, {"executed", executed}}}};
  return Launches{std::move(*kernels), std::move(identity)};
}

// The gate holds back successive calls until the last is queued, unless it is a kernel, which would be
// traced, too. Such calls fit a graph, so none of them waits for the device. If they overfill the driver's
// queue, the gate opens at its deadline, and they are traced all the same.
Result<std::vector<KernelUse>> CudaProfiler::kernels(const Work& work, const CallPattern& pattern) {
  if (auto status = usable(); !status) return fail(std::move(status.error()));
  const auto round = [&] {
    const bool gated =
        pattern.calls > 1 && parts_.gate != nullptr && parts_.gate->kind() == GateKind::stream_wait;
    // A gate that cannot be closed only leaves gaps between the calls.
    Result<HeldGate> held = HeldGate();
    if (gated) held = parts_.gate->close(parts_.queue.use(), gate_deadline);
    for (int i = 0; i < pattern.calls; ++i) parts_.queue.peers().call(parts_.queue.use(), work);
  };
  TracedWork rounds = traced(round, pattern.cache);
  rounds.calls = static_cast<std::size_t>(pattern.calls);
  parts_.code.end();
  const Result<const Cupti*> found = parts_.code.library();
  if (!found) return fail(found.error());
  return trace_kernels(**found, rounds, traced_rounds, parts_.code.into_book(),
                       [this](const std::string& kernel) { return parts_.code.code_hash(kernel); });
}

Result<std::vector<CounterValue>> CudaProfiler::counters(const Work& work, CacheMode cache,
                                                         const std::vector<std::string>& names) {
  if (auto status = usable(); !status) return fail(std::move(status.error()));
  parts_.code.end();
  const Result<const Cupti*> found = parts_.code.library();
  if (!found) {
    const CounterFact refused{CounterCode::refused, {{"problem", found.error().message}}};
    std::vector<CounterValue> values;
    for (const std::string& name : names) values.push_back({name, std::nullopt, {}, refused});
    return values;
  }
  const auto call = [&] { parts_.queue.peers().call(parts_.queue.use(), work); };
  return read_counters(**found, context_of(parts_.queue.stream()), parts_.ordinal, traced(call, cache),
                       names);
}

}  // namespace harness::cuda
