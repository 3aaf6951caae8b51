// GraphBatch: calls of a workload captured from a stream into a CUDA graph, one after the other, to be
// launched and timed together. Owns the graph; the device, the stream and whatever memory the captured
// kernels use must outlive it. One thread, that of the device.
#pragma once

#include <cuda_runtime.h>

#include <functional>
#include <memory>

#include "harness/device/device.h"

namespace harness::cuda {

// Captures work(0) ... work(calls - 1) from `stream`, which is idle, uploads the graph and launches it once.
// An Error of kind `usage` with what went wrong when the work cannot be captured: it waits for the device,
// allocates or loads code, throws, queues elsewhere, or queues nothing. The stream is usable after it.
Result<std::unique_ptr<Batch>> record_graph(Device& device, cudaStream_t stream, int calls,
                                            const std::function<void(int)>& work);

}  // namespace harness::cuda
