// CudaTraining: a whole training of a character model on CUDA. Its weights, moments and losses are in the
// workspace. After the first step, each step is the launch of one graph.
#pragma once

#include <memory>
#include <vector>

#include "kernels/owned.cuh"
#include "kernels/training/character_model.h"
#include "kernels/training/cuda_engine.h"

namespace training {

// Bytes up to the next multiple of 256.
inline std::size_t whole_lines(std::size_t bytes) {
  return (bytes + 255) / 256 * 256;
}

// Copies `count` elements of the device, and waits for them.
template <class T>
std::vector<T> downloaded(const T* from, std::size_t count, cudaStream_t stream) {
  std::vector<T> copy(count);
  kernels::check(cudaMemcpyAsync(copy.data(), from, count * sizeof(T), cudaMemcpyDeviceToHost, stream),
                 "cudaMemcpyAsync");
  kernels::check(cudaStreamSynchronize(stream), "cudaStreamSynchronize");
  return copy;
}

class CudaTraining {
 public:
  CudaTraining(const EngineOptions& options, std::int64_t steps, const harness::sdk::DeviceTraits& traits)
      : shape_(options.shape),
        batch_(options.batch),
        steps_(steps),
        weights_bytes_(static_cast<std::size_t>(Layout(shape_).size()) * sizeof(float)),
        engine_(make_cuda_engine(options, traits)) {}

  [[nodiscard]] std::size_t workspace_bytes() const {
    return whole_lines(engine_->workspace_bytes()) + 3 * whole_lines(weights_bytes_) +
           whole_lines(losses_bytes()) + 256;
  }

  // `text`, `starts` (steps x batch) and `first` (weights) are arrays of the device.
  void bind(void* workspace, const std::int8_t* text, const std::int32_t* starts, const float* first) {
    engine_->bind(workspace);
    auto* at = static_cast<unsigned char*>(workspace) + whole_lines(engine_->workspace_bytes());
    const auto take = [&](std::size_t bytes) {
      auto* const taken = at;
      at += whole_lines(bytes);
      return taken;
    };
    on_ = {};
    on_.mean = reinterpret_cast<float*>(take(weights_bytes_));
    on_.variance = reinterpret_cast<float*>(take(weights_bytes_));
    on_.weights = reinterpret_cast<float*>(take(weights_bytes_));
    on_.loss = reinterpret_cast<float*>(take(losses_bytes()));
    on_.step = reinterpret_cast<std::int32_t*>(take(256));
    on_.tokens.text = text;
    on_.tokens.starts = starts;
    on_.tokens.step = on_.step;
    on_.tokens.batch = static_cast<std::int32_t>(batch_);
    on_.tokens.sequence = static_cast<std::int32_t>(shape_.sequence);
    first_ = first;
  }

  [[nodiscard]] CudaEngine& engine() const { return *engine_; }
  // The tensors of a training, in the workspace.
  [[nodiscard]] const StepTensors& tensors() const { return on_; }

  // Enqueues: the first weights, moments of zeros, and step 0.
  void begin(const StepTensors& on, cudaStream_t stream) const {
    kernels::check(cudaMemcpyAsync(on.weights, first_, weights_bytes_, cudaMemcpyDeviceToDevice, stream),
                   "cudaMemcpyAsync");
    kernels::check(cudaMemsetAsync(on.mean, 0, weights_bytes_, stream), "cudaMemsetAsync");
    kernels::check(cudaMemsetAsync(on.variance, 0, weights_bytes_, stream), "cudaMemsetAsync");
    kernels::check(cudaMemsetAsync(on.step, 0, sizeof *on.step, stream), "cudaMemsetAsync");
  }

  // Trains from the first weights on, and waits. `mask` is in the device's memory.
  void train(const AttentionMask& mask, cudaStream_t stream) const {
    StepTensors on = on_;
    on.mask = mask;
    begin(on, stream);
    engine_->step({stream}, on, true);
    const Graph step = graph_of_step(on, stream);
    for (std::int64_t i = 1; i < steps_; ++i)
      kernels::check(cudaGraphLaunch(step.get(), stream), "cudaGraphLaunch");
    kernels::check(cudaStreamSynchronize(stream), "cudaStreamSynchronize");
  }
  [[nodiscard]] std::vector<float> losses(cudaStream_t stream) const {
    return downloaded(on_.loss, static_cast<std::size_t>(steps_), stream);
  }

  // The tensors of an evaluation of the trained weights on a batch that begins at `starts`. Its loss replaces
  // that of the first step.
  [[nodiscard]] StepTensors evaluation(const std::int32_t* starts) const {
    StepTensors on = on_;
    on.step = nullptr;
    on.tokens.step = nullptr;
    on.tokens.starts = starts;
    return on;
  }

 private:
  using Graph = std::unique_ptr<CUgraphExec_st, cudaError_t (*)(cudaGraphExec_t)>;

  [[nodiscard]] std::size_t losses_bytes() const { return static_cast<std::size_t>(steps_) * sizeof(float); }

  Graph graph_of_step(const StepTensors& on, cudaStream_t stream) const {
    cudaGraph_t captured = nullptr;
    kernels::check(cudaStreamBeginCapture(stream, cudaStreamCaptureModeThreadLocal),
                   "cudaStreamBeginCapture");
    engine_->step({stream}, on, false);
    kernels::check(cudaStreamEndCapture(stream, &captured), "cudaStreamEndCapture");
    const std::unique_ptr<CUgraph_st, cudaError_t (*)(cudaGraph_t)> owned(captured, cudaGraphDestroy);
    cudaGraphExec_t executable = nullptr;
    kernels::check(cudaGraphInstantiate(&executable, captured, 0), "cudaGraphInstantiate");
    return {executable, cudaGraphExecDestroy};
  }

  ModelShape shape_;
  std::int64_t batch_;
  std::int64_t steps_;
  std::size_t weights_bytes_;
  std::unique_ptr<CudaEngine> engine_;
  StepTensors on_;
  const float* first_ = nullptr;
};

}  // namespace training
