// GraphBatch: calls captured one after the other into a CUDA graph, to be launched and timed together. Owns
// the graph; the timer, the stream and the memory that the captured kernels use must outlive it. One thread
// uses it.
#pragma once

#include <cuda_runtime.h>

#include <memory>

#include "harness/device/timer.h"

namespace harness::cuda {

// Captures work(0) ... work(calls - 1) from the idle `stream`, uploads the graph and launches it once. An
// Error of kind `usage` when the work waits for the device, allocates, loads code, throws, queues elsewhere,
// or queues nothing. The stream is usable after it.
Result<std::unique_ptr<Batch>> record_graph(Timer& timer, cudaStream_t stream, int calls,
                                            const NumberedWork& work);

}  // namespace harness::cuda
