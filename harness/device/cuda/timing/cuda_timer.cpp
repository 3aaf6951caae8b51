#include "harness/device/cuda/timing/cuda_timer.h"

#include <utility>

#include "harness/device/control.h"
#include "harness/device/cuda/check.h"
#include "harness/device/cuda/gpu_kernels.h"
#include "harness/device/cuda/steady_work.h"
#include "harness/device/cuda/timing/call_watch.h"
#include "harness/device/cuda/timing/clock.h"
#include "harness/device/cuda/timing/graph_batch.h"
#include "harness/device/cuda/timing/stream_check.h"

namespace harness::cuda {
namespace {

// An eviction takes 31 us on an H200. After this time more than one and a half times the L2 is still to be
// written.
constexpr Seconds just_begun = 8e-6;

// On an H200 placements of calls of 30 to 50 us differ by 1.2 % by events: a stream has an offset of its own,
// which the slope over batches cancels.
constexpr Seconds short_call = 64e-6;

constexpr const char* refused_launch = "a kernel was launched with a configuration that this device refuses";

}  // namespace

Result<std::unique_ptr<CudaTimer>> CudaTimer::create(TimerParts parts) {
  std::unique_ptr<CudaTimer> timer(new CudaTimer(std::move(parts)));
  for (cudaEvent_t* event : {&timer->begin_, &timer->end_})
    if (auto status = check(cudaEventCreate(event), "cudaEventCreate"); !status)
      return fail(std::move(status.error()));
  auto clock = ClockMeter::create();
  if (!clock) return fail(std::move(clock.error()));
  // Loads the kernel's code before a gate closes.
  if ((*clock)->ghz(timer->parts_.queue.home()) > 0) timer->clock_ = std::move(*clock);
  return timer;
}

CudaTimer::~CudaTimer() {
  for (cudaEvent_t event : {begin_, end_})
    if (event != nullptr) (void)cudaEventDestroy(event);
}

Seconds CudaTimer::now() {
  return host_now();
}

Result<Timing> CudaTimer::time(const Work& work, const TimingOptions& options) {
  if (auto status = usable(); !status) return fail(std::move(status.error()));
  parts_.code.end();
  const bool evicted = std::exchange(evicted_at_, std::nullopt) == parts_.queue.uses();
  const cudaStream_t stream = parts_.queue.use();
  const bool cold = options.cache == CacheMode::cold;
  const bool paused = options.pause > 0;
  if (paused) pause_before_call(stream, options.pause);
  if (cold)
    if (auto status = make_cold(stream, evicted && !paused); !status) return fail(std::move(status.error()));
  const bool gated = options.gated && !parts_.gate_obstacle;
  HeldGate held;
  if (gated) {
    auto closed = parts_.gate.close(stream, options.gate_deadline);
    if (!closed) return fail(std::move(closed.error()));
    held = std::move(*closed);
  }
  std::optional<CallWatch> watch;
  if (options.audited && !gated && !cold && !paused) {
    auto begun = CallWatch::begin(stream, begin_);
    if (!begun) return fail(std::move(begun.error()));
    watch = *begun;
  }
  cudaError_t launched = cudaEventRecord(begin_, stream);
  Seconds launch = 0;
  if (launched == cudaSuccess) {
    const Seconds before = host_now();
    parts_.queue.peers().call(stream, work);
    launch = host_now() - before;
    launched = cudaGetLastError();
  }
  // Recorded even when the work could not be queued: finish_sample() waits for what was queued.
  const cudaError_t recorded = cudaEventRecord(end_, stream);
  if (watch) watch->queued();
  const bool forced = held.open();
  const cudaError_t queued = launched != cudaSuccess ? launched : recorded;
  const bool reads_clock = options.reads_clock && clock_ && queued == cudaSuccess;
  if (reads_clock) clock_->begin(stream);
  // Queues the eviction for the next sample while this one runs, so that device and host both keep working.
  // An unnecessary eviction costs the device some 30 us. Not without a gate: the host's launch is then in the
  // time, and must find the device busy with a flush.
  Status ahead;
  if (cold && gated && !paused && queued == cudaSuccess) {
    ahead = parts_.flusher.evict(stream);
    if (ahead) evicted_at_ = parts_.queue.uses();
  }
  Result<Timing> timing = finish_sample(forced, queued);
  if (timing && reads_clock) {
    timing->clock_ghz = clock_->result();
    finished_ = host_now();
  }
  if (timing && watch) {
    const Result<Seconds> passed = watch->passed(timing->elapsed);
    if (!passed) return fail(passed.error());
    timing->passed = *passed;
  }
  if (timing && !ahead) return fail(ahead.error());
  if (timing) timing->launch = launch;
  return timing;
}

void CudaTimer::idle(Seconds duration) {
  wait_on_host(duration);
}

// An empty kernel wakes the device, as the sample before did where there is no pause.
void CudaTimer::pause_before_call(cudaStream_t stream, Seconds pause) {
  wait_on_host(pause);
  launch_nothing(stream);
}

Status CudaTimer::make_cold(cudaStream_t stream, bool evicted) {
  if (auto status = parts_.queue.peers().evict(); !status) return status;
  if (!evicted) return parts_.flusher.flush(stream);
  if (!parts_.flusher.reset_persisting()) return {};
  // An eviction that has only just begun evicts these lines, too; otherwise another one follows.
  const bool under_way = cudaStreamQuery(stream) == cudaErrorNotReady;
  if (under_way) (void)cudaGetLastError();  // "not ready" would be blamed on the work
  const bool early = host_now() - finished_ < just_begun;
  return under_way && early ? Status{} : parts_.flusher.evict(stream);
}

Result<Timing> CudaTimer::finish_sample(bool forced, cudaError_t launched) {
  const cudaError_t finished = cudaEventSynchronize(end_);
  finished_ = host_now();
  if (auto status = check(launched, "queueing the timed work", refused_launch); !status)
    return fail(std::move(status.error()));
  if (auto status = check(finished, "the timed work (cudaEventSynchronize)"); !status)
    return fail(std::move(status.error()));
  float milliseconds = 0;
  if (auto status = check(cudaEventElapsedTime(&milliseconds, begin_, end_), "cudaEventElapsedTime"); !status)
    return fail(std::move(status.error()));
  return Timing{.elapsed = static_cast<double>(milliseconds) * 1e-3, .gate_forced = forced};
}

Result<Seconds> CudaTimer::time_first_call(const Work& work) {
  if (auto status = synchronize(); !status) return fail(std::move(status.error()));
  const cudaStream_t stream = parts_.queue.use();
  const Seconds begin = host_now();
  parts_.queue.peers().call(stream, work);
  const cudaError_t launched = cudaGetLastError();
  const cudaError_t finished = cudaStreamSynchronize(stream);
  const Seconds elapsed = host_now() - begin;
  if (auto status = check(launched, "queueing the first call", refused_launch); !status)
    return fail(std::move(status.error()));
  if (auto status = check(finished, "the first call (cudaStreamSynchronize)"); !status)
    return fail(std::move(status.error()));
  return elapsed;
}

Result<std::unique_ptr<Batch>> CudaTimer::record(int calls, NumberedWork work) {
  if (auto status = synchronize(); !status) return fail(std::move(status.error()));
  const NumberedWork with_peers = [&](sdk::Stream stream, int number) {
    parts_.queue.peers().call(static_cast<cudaStream_t>(stream.handle),
                              [&](sdk::Stream all) { work(all, number); });
  };
  return record_graph(*this, parts_.queue.use(), calls, with_peers);
}

void CudaTimer::queue(const Work& work) {
  parts_.queue.peers().call(parts_.queue.use(), work);
}

Result<std::vector<EndedCalls>> CudaTimer::work_through(const Round& round, Seconds duration) {
  if (auto status = synchronize(); !status) return fail(std::move(status.error()));
  parts_.code.end();
  return cuda::work_through(parts_.queue, round, duration);
}

// Under a tool that traces every launch, the random launches are left out.
Result<Scope> CudaTimer::begin_placement(StreamUse use) {
  parts_.code.end();
  const bool watched = parts_.gate_obstacle.has_value();
  Result<Scope> placement = parts_.queue.begin_placement(use == StreamUse::given_only && !watched, !watched);
  if (!placement) return placement;
  parts_.flusher.look_for_persisting();
  if (auto status = synchronize(); !status) return fail(std::move(status.error()));
  return placement;
}

Result<bool> CudaTimer::keeps_to_stream(const Work& work) {
  if (auto status = synchronize(); !status) return fail(std::move(status.error()));
  parts_.code.end();
  if (parts_.gate_obstacle || !parts_.queue.peers().none()) return false;
  (void)parts_.queue.use();  // on other streams the work may really run
  return cuda::keeps_to_stream(parts_.queue.home(), work);
}

std::optional<Control> CudaTimer::control() {
  if (!control_)
    control_ = measure_control(
        *this, [](sdk::Stream stream) { launch_nothing(static_cast<cudaStream_t>(stream.handle)); });
  return *control_;
}

Seconds CudaTimer::batch_below() const {
  return short_call;
}

Status CudaTimer::preheat(Seconds duration) {
  if (auto status = usable(); !status) return status;
  return preheat_device(parts_.queue.use(), parts_.multiprocessors, parts_.flusher, duration);
}

Status CudaTimer::full_power(Seconds duration) {
  if (auto status = usable(); !status) return status;
  return work_at_full_power(parts_.queue.use(), parts_.multiprocessors, duration);
}

}  // namespace harness::cuda
