// GraphOf: a variant whose launches are captured in a CUDA graph and replayed. The graph is made in the
// constructor, on tensors that exist only then, so that its cost is part of the set-up. Buffers that are
// bound later take their place.
#pragma once

#include <deque>
#include <memory>
#include <vector>

#include "harness/sdk/variant.h"
#include "kernels/owned.cuh"

namespace kernels {

template <class Variant>
class GraphOf final : public Variant {
 public:
  GraphOf(const harness::sdk::Params& params, const harness::sdk::Problem& problem,
          const harness::sdk::DeviceTraits& traits)
      : Variant(params, problem, traits) {
    std::deque<DeviceMemory> memory;
    std::vector<void*> tensors;
    for (const harness::sdk::TensorSpec& tensor : problem.tensors)
      tensors.push_back(memory.emplace_back(tensor.bytes()).template as<void>());
    void* const workspace = memory.emplace_back(Variant::workspace_bytes() + 1).template as<void>();
    // A library loads its kernels in the first call, which is none to capture.
    Variant::bind({tensors, workspace});
    Variant::run({});
    check(cudaDeviceSynchronize(), "cudaDeviceSynchronize");
    GraphOf::bind({tensors, workspace});
  }

  void bind(const harness::sdk::Buffers& buffers) override {
    Variant::bind(buffers);
    const OwnedStream stream = make_stream();
    check(cudaStreamBeginCapture(stream.get(), cudaStreamCaptureModeThreadLocal), "cudaStreamBeginCapture");
    Variant::run({stream.get()});
    cudaGraph_t captured = nullptr;
    check(cudaStreamEndCapture(stream.get(), &captured), "cudaStreamEndCapture");
    const std::unique_ptr<CUgraph_st, cudaError_t (*)(cudaGraph_t)> graph(captured, cudaGraphDestroy);
    if (!updated(captured)) {
      cudaGraphExec_t ready = nullptr;
      check(cudaGraphInstantiate(&ready, captured, 0), "cudaGraphInstantiate");
      graph_.reset(ready);
    }
    check(cudaGraphUpload(graph_.get(), stream.get()), "cudaGraphUpload");
    check(cudaStreamSynchronize(stream.get()), "cudaStreamSynchronize");
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
  // Whether the graph that is there took the arguments of `captured`.
  [[nodiscard]] bool updated(cudaGraph_t captured) const {
    if (!graph_) return false;
    cudaGraphExecUpdateResultInfo why = {};
    if (cudaGraphExecUpdate(graph_.get(), captured, &why) == cudaSuccess) return true;
    cudaGetLastError();  // it is made anew
    return false;
  }

  std::unique_ptr<CUgraphExec_st, cudaError_t (*)(cudaGraphExec_t)> graph_{nullptr, cudaGraphExecDestroy};
};

}  // namespace kernels
