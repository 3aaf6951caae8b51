// Captured: a CUDA graph of the work that calls queue on a stream, which is not run.
#pragma once

#include <cuda_runtime.h>

#include <cstddef>
#include <memory>
#include <string>
#include <type_traits>

#include "harness/base/result.h"
#include "harness/device/timer.h"

namespace harness::cuda {

struct DestroyGraph {
  void operator()(cudaGraph_t graph) const { (void)cudaGraphDestroy(graph); }
};
using Graph = std::unique_ptr<std::remove_pointer_t<cudaGraph_t>, DestroyGraph>;

struct Captured {
  Graph graph;                       // null when the capture was broken off
  std::size_t nodes = 0;             // of it
  std::string thrown;                // the exception of a call, as a clause, or ""
  cudaError_t during = cudaSuccess;  // the last error that the calls left
  cudaError_t ended = cudaSuccess;   // how capturing itself ended
};

// Makes calls 0 to calls - 1 of `work` while `stream`, which is idle, captures. Captured tells what went
// wrong, and the stream is usable after it; an Error only when the device is lost.
Result<Captured> capture(cudaStream_t stream, cudaStreamCaptureMode mode, int calls,
                         const NumberedWork& work);

}  // namespace harness::cuda
