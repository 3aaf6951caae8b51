// block/graph: the fused block's launches, captured in a CUDA graph when the buffers are bound.
#include "kernels/block/fused_variant.h"
#include "kernels/cuda_check.cuh"

namespace transformer_block {
namespace {

class BlockGraph final : public FusedBlock {
 public:
  using FusedBlock::FusedBlock;

  void bind(const harness::sdk::Buffers& buffers) override {
    FusedBlock::bind(buffers);
    cudaStream_t made = nullptr;
    kernels::check(cudaStreamCreateWithFlags(&made, cudaStreamNonBlocking), "cudaStreamCreateWithFlags");
    const std::unique_ptr<CUstream_st, cudaError_t (*)(cudaStream_t)> stream(made, cudaStreamDestroy);
    kernels::check(cudaStreamBeginCapture(made, cudaStreamCaptureModeThreadLocal), "cudaStreamBeginCapture");
    FusedBlock::run({made});
    cudaGraph_t captured = nullptr;
    kernels::check(cudaStreamEndCapture(made, &captured), "cudaStreamEndCapture");
    const std::unique_ptr<CUgraph_st, cudaError_t (*)(cudaGraph_t)> graph(captured, cudaGraphDestroy);
    cudaGraphExec_t ready = nullptr;
    kernels::check(cudaGraphInstantiate(&ready, captured, 0), "cudaGraphInstantiate");
    graph_.reset(ready);
    kernels::check(cudaGraphUpload(ready, made), "cudaGraphUpload");
    kernels::check(cudaStreamSynchronize(made), "cudaStreamSynchronize");
  }

  // A graph cannot be launched into a capture: there its launches become part of the one that is captured.
  void run(harness::sdk::Stream stream) override {
    auto* const queue = static_cast<cudaStream_t>(stream.handle);
    cudaStreamCaptureStatus status = cudaStreamCaptureStatusNone;
    kernels::check(cudaStreamIsCapturing(queue, &status), "cudaStreamIsCapturing");
    if (status != cudaStreamCaptureStatusNone) return FusedBlock::run(stream);
    kernels::check(cudaGraphLaunch(graph_.get(), queue), "cudaGraphLaunch");
  }

 private:
  std::unique_ptr<CUgraphExec_st, cudaError_t (*)(cudaGraphExec_t)> graph_{nullptr, cudaGraphExecDestroy};
};

}  // namespace
}  // namespace transformer_block

HARNESS_VARIANT(block, graph, cuda, "the fused kernels, captured once and replayed as a CUDA graph",
                transformer_block::BlockGraph)
