#include "harness/device/cuda/timing/stream_check.h"

#include "harness/device/cuda/timing/capture.h"

namespace harness::cuda {

// Relaxed: a call that allocates or asks an event may do so, as it does when it is timed.
Result<bool> keeps_to_stream(cudaStream_t home, const std::function<void()>& work) {
  const Result<Captured> captured = capture(home, cudaStreamCaptureModeRelaxed, 1, [&work](int) { work(); });
  if (!captured) return fail(captured.error());
  return captured->thrown.empty() && captured->during == cudaSuccess && captured->ended == cudaSuccess &&
         captured->nodes > 0;
}

}  // namespace harness::cuda
