// Gate: holds a stream until the work to be timed is queued behind it, so that the time the host
// needs for launching stays outside the pair of events.
//
//   close(stream, deadline)  queue the wait, start the watchdog
//   ...                      queue event, work, event
//   open()                   let the stream go on
//
// The wait is cuStreamWaitValue32 on a flag in mapped host memory where the driver has it, else one
// thread that spins on the flag. Work that blocks the host behind a closed gate (it synchronises,
// loads code lazily, or fills the launch queue) would wait for ever: the watchdog opens the gate at
// the deadline, and open() says so.
//
// Used from the thread that launches; the watchdog's thread only ever writes the flag.
#pragma once

#include <cuda.h>
#include <cuda_runtime.h>

#include <atomic>
#include <cstdint>
#include <memory>

#include "harness/base/result.h"
#include "harness/base/units.h"
#include "harness/device/cuda/timing/watchdog.h"
#include "harness/device/gate_kind.h"

namespace harness::cuda {

class Gate {
 public:
  // For the current device. HARNESS_CUDA_GATE=spin in the environment forces the spinning thread.
  // It tries its wait on `stream`, and serves every stream of the device, one at a time.
  static Result<std::unique_ptr<Gate>> create(cudaStream_t stream);
  Gate(const Gate&) = delete;
  Gate& operator=(const Gate&) = delete;
  ~Gate();  // opens it

  // On an error the gate is open.
  Status close(cudaStream_t stream, Seconds deadline);

  // True when the watchdog had opened it already. Opening an open gate is harmless.
  bool open();

  // A spinning thread is a kernel of its own.
  [[nodiscard]] GateKind kind() const {
    return stream_wait_ != nullptr ? GateKind::stream_wait : GateKind::spinning_thread;
  }

 private:
  using StreamWait = CUresult (*)(CUstream, CUdeviceptr, cuuint32_t, unsigned int);

  Gate(cudaStream_t stream, std::uint32_t* flag, const std::uint32_t* device_flag);
  bool try_stream_wait();
  void let_through();

  cudaStream_t stream_;               // the last that it held
  std::uint32_t* flag_;               // pinned and mapped; owned
  const std::uint32_t* device_flag_;  // the same word, as the device addresses it
  StreamWait stream_wait_ = nullptr;  // null: use the spinning thread
  // Each closing waits for a number of its own, so that a late opening of an earlier one is harmless
  // and the flag is never reset.
  std::atomic<std::uint32_t> round_ = 0;
  Watchdog watchdog_;  // last: its thread uses the flag and the round
};

// Opens the gate when it goes out of scope, however that happens.
class HeldGate {
 public:
  explicit HeldGate(Gate* gate) : gate_(gate) {}  // null: not gated
  HeldGate(const HeldGate&) = delete;
  HeldGate& operator=(const HeldGate&) = delete;
  ~HeldGate() { open(); }

  // True when the watchdog had opened it.
  bool open() {
    Gate* gate = gate_;
    gate_ = nullptr;
    return gate != nullptr && gate->open();
  }

 private:
  Gate* gate_;
};

}  // namespace harness::cuda
