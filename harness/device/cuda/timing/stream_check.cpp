#include "harness/device/cuda/timing/stream_check.h"

#include "harness/device/cuda/timing/capture.h"

namespace harness::cuda {

// Relaxed: a call may allocate or query an event, as it does when it is timed.
Result<bool> keeps_to_stream(cudaStream_t home, const Work& work) {
  const Result<Captured> captured =
      capture(home, cudaStreamCaptureModeRelaxed, 1, [&work](sdk::Stream stream, int) { work(stream); });
  if (!captured) return fail(captured.error());
  return captured->thrown.empty() && captured->during == cudaSuccess && captured->ended == cudaSuccess &&
         captured->nodes > 0;
}

}  // namespace harness::cuda
