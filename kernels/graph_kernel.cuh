// GraphOf: a variant whose launches are captured in a CUDA graph when its buffers are bound, and replayed.
#pragma once

#include <memory>

#include "harness/sdk/variant.h"
#include "kernels/cuda_check.cuh"

namespace kernels {

template <class Variant>
class GraphOf final : public Variant {
 public:
  using Variant::Variant;

  void bind(const harness::sdk::Buffers& buffers) override {
    Variant::bind(buffers);
    cudaStream_t made = nullptr;
    check(cudaStreamCreateWithFlags(&made, cudaStreamNonBlocking), "cudaStreamCreateWithFlags");
    const std::unique_ptr<CUstream_st, cudaError_t (*)(cudaStream_t)> stream(made, cudaStreamDestroy);
    check(cudaStreamBeginCapture(made, cudaStreamCaptureModeThreadLocal), "cudaStreamBeginCapture");
    Variant::run({made});
    cudaGraph_t captured = nullptr;
    check(cudaStreamEndCapture(made, &captured), "cudaStreamEndCapture");
    const std::unique_ptr<CUgraph_st, cudaError_t (*)(cudaGraph_t)> graph(captured, cudaGraphDestroy);
    cudaGraphExec_t ready = nullptr;
    check(cudaGraphInstantiate(&ready, captured, 0), "cudaGraphInstantiate");
    graph_.reset(ready);
    check(cudaGraphUpload(ready, made), "cudaGraphUpload");
    check(cudaStreamSynchronize(made), "cudaStreamSynchronize");
  }

  // A graph cannot be launched into a capture: there its launches become part of the one that is captured.
  void run(harness::sdk::Stream stream) override {
    auto* const queue = static_cast<cudaStream_t>(stream.handle);
    cudaStreamCaptureStatus status = cudaStreamCaptureStatusNone;
    check(cudaStreamIsCapturing(queue, &status), "cudaStreamIsCapturing");
    if (status != cudaStreamCaptureStatusNone) return Variant::run(stream);
    check(cudaGraphLaunch(graph_.get(), queue), "cudaGraphLaunch");
  }

 private:
  std::unique_ptr<CUgraphExec_st, cudaError_t (*)(cudaGraphExec_t)> graph_{nullptr, cudaGraphExecDestroy};
};

}  // namespace kernels
