// CudaTimer: times work on a GPU between two events behind the launch gate; README.md of cuda/ draws one
// sample. One thread uses it, beside the gate's watchdog.
//
// An exception of the work passes through, with the gate open. Where a tool forbids the gate
// (gate_obstacle()), `gated` is ignored.
#pragma once

#include <cuda_runtime.h>

#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>

#include "harness/device/cuda/profiling/code_watch.h"
#include "harness/device/cuda/timing/cache.h"
#include "harness/device/cuda/timing/clock.h"
#include "harness/device/cuda/timing/gate.h"
#include "harness/device/cuda/timing/work_queue.h"
#include "harness/device/timer.h"

namespace harness::cuda {

// Shared with the other parts of the device; all of it outlives the timer.
struct TimerParts {
  WorkQueue& queue;
  CacheFlusher& flusher;
  Gate& gate;
  CodeWatch& code;
  int multiprocessors;
  std::optional<Note> gate_obstacle;
};

class CudaTimer final : public Timer {
 public:
  static Result<std::unique_ptr<CudaTimer>> create(TimerParts parts);
  ~CudaTimer() override;

  Result<Timing> time(const Work& work, const TimingOptions& options) override;
  void idle(Seconds duration) override;
  Result<Seconds> time_first_call(const Work& work) override;
  Result<std::unique_ptr<Batch>> record(int calls, NumberedWork work) override;
  void queue(const Work& work) override;
  Result<std::vector<EndedCalls>> work_through(const Round& round, Seconds duration) override;
  Status synchronize() override { return parts_.queue.synchronize(); }
  Result<Scope> begin_placement(StreamUse use) override;
  Result<bool> keeps_to_stream(const Work& work) override;
  [[nodiscard]] std::optional<Note> gate_obstacle() const override { return parts_.gate_obstacle; }
  std::optional<Control> control() override;
  [[nodiscard]] Seconds batch_below() const override;
  Status preheat(Seconds duration) override;
  Status full_power(Seconds duration) override;
  [[nodiscard]] Seconds now() override;

 private:
  explicit CudaTimer(TimerParts parts) : parts_(std::move(parts)) {}
  void pause_before_call(cudaStream_t stream, Seconds pause);
  Status make_cold(cudaStream_t stream, bool evicted);
  Result<Timing> finish_sample(bool forced, cudaError_t launched);

  TimerParts parts_;
  std::unique_ptr<ClockMeter> clock_;
  cudaEvent_t begin_ = nullptr;
  cudaEvent_t end_ = nullptr;
  // The queue's uses when the last sample queued an eviction ahead: with more of them, it was in vain.
  std::optional<std::uint64_t> evicted_at_;
  Seconds finished_ = 0;  // when the last sample was seen to have ended, on the host's clock
  std::optional<std::optional<Control>> control_;  // once it was asked for
};

}  // namespace harness::cuda
