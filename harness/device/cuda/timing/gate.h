// Gate: holds a stream until the work to be timed is queued. So the host's launching time stays outside the
// pair of events.
//
//   close(stream, deadline)   queues the wait, starts the watchdog; returns the HeldGate.
//   ...                       The caller queues event, work, event.
//   HeldGate::open()          lets the stream go on.
//
// The wait is cuStreamWaitValue32 on a flag in mapped host memory, or one spinning thread where the driver
// lacks it. Work that synchronises, loads code or fills the launch queue would block the host behind a closed
// gate for ever. So the watchdog opens it at the deadline, and open() tells it.
//
// Used from the thread that launches; the watchdog's thread only writes the flag.
#pragma once

#include <cuda.h>
#include <cuda_runtime.h>

#include <atomic>
#include <cstdint>
#include <memory>
#include <utility>

#include "harness/base/result.h"
#include "harness/base/units.h"
#include "harness/device/cuda/timing/watchdog.h"
#include "harness/device/gate_kind.h"

namespace harness::cuda {

class Gate;

// A closed gate. Opens it when it goes out of scope.
class [[nodiscard]] HeldGate {
 public:
  HeldGate() = default;  // of no gate: not gated
  HeldGate(HeldGate&& other) noexcept : gate_(std::exchange(other.gate_, nullptr)) {}
  HeldGate& operator=(HeldGate&& other) noexcept {
    std::swap(gate_, other.gate_);
    return *this;
  }
  ~HeldGate() { open(); }

  // True when the watchdog had opened the gate already.
  bool open();

 private:
  friend class Gate;
  explicit HeldGate(Gate& gate) : gate_(&gate) {}

  Gate* gate_ = nullptr;
};

class Gate {
 public:
  // For the current device. HARNESS_CUDA_GATE=spin in the environment forces the spinning thread.
  // It tries its wait on `stream`, and serves every stream of the device, one at a time.
  static Result<std::unique_ptr<Gate>> create(cudaStream_t stream);
  Gate(const Gate&) = delete;
  Gate& operator=(const Gate&) = delete;
  ~Gate();  // opens it

  // On an error the gate is open.
  Result<HeldGate> close(cudaStream_t stream, Seconds deadline);

  // A spinning thread is a kernel of its own.
  [[nodiscard]] GateKind kind() const {
    return stream_wait_ != nullptr ? GateKind::stream_wait : GateKind::spinning_thread;
  }

 private:
  friend class HeldGate;
  using StreamWait = CUresult (*)(CUstream, CUdeviceptr, cuuint32_t, unsigned int);

  Gate(cudaStream_t stream, std::uint32_t* flag, const std::uint32_t* device_flag);
  bool try_stream_wait();
  bool open();  // true when the watchdog was first; opening an open gate is harmless
  void let_through();

  cudaStream_t stream_;               // the last one that it held
  std::uint32_t* flag_;               // pinned and mapped; owned
  const std::uint32_t* device_flag_;  // the same word at the device's address
  StreamWait stream_wait_ = nullptr;  // null: use the spinning thread
  // Each closing waits for a number of its own. So an opening that comes late is harmless, and the flag is
  // never reset.
  std::atomic<std::uint32_t> round_ = 0;
  Watchdog watchdog_;  // last: its thread uses the flag and the round
};

inline bool HeldGate::open() {
  Gate* const gate = std::exchange(gate_, nullptr);
  return gate != nullptr && gate->open();
}

}  // namespace harness::cuda
