// Captured: what calls queue on a stream, caught in a CUDA graph instead of being run.
#pragma once

#include <cuda_runtime.h>

#include <cstddef>
#include <functional>
#include <memory>
#include <string>
#include <type_traits>

#include "harness/base/result.h"

namespace harness::cuda {

struct DestroyGraph {
  void operator()(cudaGraph_t graph) const { (void)cudaGraphDestroy(graph); }
};
using Graph = std::unique_ptr<std::remove_pointer_t<cudaGraph_t>, DestroyGraph>;

struct Captured {
  Graph graph;                       // null where capturing was broken off
  std::size_t nodes = 0;             // of it
  std::string thrown;                // by a call: a clause, or ""
  cudaError_t during = cudaSuccess;  // the last error that the calls left
  cudaError_t ended = cudaSuccess;   // how capturing itself ended
};

// Makes work(0) ... work(calls - 1) while `stream`, which is idle, captures. What goes wrong is told in what
// comes back, and the stream is usable after it; an Error only where the device is lost.
Result<Captured> capture(cudaStream_t stream, cudaStreamCaptureMode mode, int calls,
                         const std::function<void(int)>& work);

}  // namespace harness::cuda
