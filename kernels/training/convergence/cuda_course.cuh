// CudaCourse: convergence by the engine on CUDA. A variant is a precision, or a form of
// gradients. A call enqueues its steps; the
// whole training is the graph of a step, launched again and again.
#pragma once

#include <chrono>
#include <memory>
#include <vector>

#include "kernels/cuda_check.cuh"
#include "kernels/training/convergence/convergence.h"
#include "kernels/training/cuda_engine.h"

namespace training {

struct WholeGradients {
  static std::optional<compression::Settings> settings() { return {}; }
};
template <compression::Form form, std::int64_t percent = 100>
struct CompressedGradients {
  static std::optional<compression::Settings> settings() { return compression::Settings{form, percent}; }
};

template <Precision precision, class Gradients = WholeGradients>
class CudaCourse final : public harness::sdk::Kernel {
 public:
  CudaCourse(const harness::sdk::Params& params, const harness::sdk::Problem&,
             const harness::sdk::DeviceTraits& traits)
      : course_(course_of(params)),
        weights_(static_cast<std::size_t>(Layout(course_.shape).size())),
        engine_(make_cuda_engine(
            {course_.shape, course_.batch, precision, character_optimizer, false, Gradients::settings()},
            traits)) {}

  [[nodiscard]] std::size_t workspace_bytes() const override {
    return up(engine_->workspace_bytes()) + 3 * up(weights_ * sizeof(float)) + up(losses_bytes()) + 256;
  }
  [[nodiscard]] std::optional<harness::sdk::Tolerance> tolerance() const override {
    return harness::sdk::Tolerance{precision == Precision::bf16 ? 5e-3 : 2e-2};
  }

  void bind(const harness::sdk::Buffers& buffers) override {
    engine_->bind(buffers.workspace);
    auto* at = static_cast<unsigned char*>(buffers.workspace) + up(engine_->workspace_bytes());
    const auto take = [&](std::size_t bytes) {
      auto* const taken = at;
      at += up(bytes);
      return taken;
    };
    on_ = {};
    on_.mean = reinterpret_cast<float*>(take(weights_ * sizeof(float)));
    on_.variance = reinterpret_cast<float*>(take(weights_ * sizeof(float)));
    all_weights_ = reinterpret_cast<float*>(take(weights_ * sizeof(float)));
    all_losses_ = reinterpret_cast<float*>(take(losses_bytes()));
    on_.step = reinterpret_cast<std::int32_t*>(take(256));
    on_.tokens.text = buffers.as<const std::int8_t>(text_index);
    on_.tokens.starts = buffers.as<const std::int32_t>(starts_index);
    on_.tokens.step = on_.step;
    on_.tokens.batch = static_cast<std::int32_t>(course_.batch);
    on_.tokens.sequence = static_cast<std::int32_t>(course_.shape.sequence);
    on_.weights = buffers.as<float>(trained_index);
    on_.loss = buffers.as<float>(losses_index);
    held_out_ = buffers.as<const std::int32_t>(held_out_index);
    first_ = buffers.as<const float>(first_index);
  }

  void run(harness::sdk::Stream stream) override {
    begin(on_, static_cast<cudaStream_t>(stream.handle));
    for (std::int64_t i = 0; i < course_.steps; ++i) engine_->step(stream, on_, i == 0);
  }

  void report(harness::sdk::MetricSink& sink) const override {
    cudaStream_t made = nullptr;
    kernels::check(cudaStreamCreateWithFlags(&made, cudaStreamNonBlocking), "cudaStreamCreateWithFlags");
    const std::unique_ptr<CUstream_st, cudaError_t (*)(cudaStream_t)> stream(made, cudaStreamDestroy);
    StepTensors on = on_;
    on.weights = all_weights_;
    on.loss = all_losses_;

    const auto began = std::chrono::steady_clock::now();
    begin(on, made);
    engine_->step({made}, on, true);
    const Graph step = graph_of_step(on, made);
    for (std::int64_t i = 1; i < course_.train_steps; ++i)
      kernels::check(cudaGraphLaunch(step.get(), made), "cudaGraphLaunch");
    kernels::check(cudaStreamSynchronize(made), "cudaStreamSynchronize");
    const std::chrono::duration<double> elapsed = std::chrono::steady_clock::now() - began;

    report_losses(download(made, static_cast<std::size_t>(course_.train_steps)), sink);
    on.step = nullptr;
    on.tokens.step = nullptr;
    on.tokens.starts = held_out_;
    engine_->evaluate({made}, on);
    sink.report("held_out_loss", static_cast<double>(download(made, 1).front()));
    sink.report("training_time", elapsed.count());
  }

 private:
  using Graph = std::unique_ptr<CUgraphExec_st, cudaError_t (*)(cudaGraphExec_t)>;

  static std::size_t up(std::size_t bytes) { return (bytes + 255) / 256 * 256; }
  [[nodiscard]] std::size_t losses_bytes() const {
    return static_cast<std::size_t>(course_.train_steps) * sizeof(float);
  }

  // The first weights, moments of zeros, and step 0.
  void begin(const StepTensors& on, cudaStream_t stream) const {
    const std::size_t bytes = weights_ * sizeof(float);
    kernels::check(cudaMemcpyAsync(on.weights, first_, bytes, cudaMemcpyDeviceToDevice, stream),
                   "cudaMemcpyAsync");
    kernels::check(cudaMemsetAsync(on.mean, 0, bytes, stream), "cudaMemsetAsync");
    kernels::check(cudaMemsetAsync(on.variance, 0, bytes, stream), "cudaMemsetAsync");
    kernels::check(cudaMemsetAsync(on.step, 0, sizeof *on.step, stream), "cudaMemsetAsync");
  }

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

  [[nodiscard]] std::vector<float> download(cudaStream_t stream, std::size_t count) const {
    std::vector<float> losses(count);
    kernels::check(
        cudaMemcpyAsync(losses.data(), all_losses_, count * sizeof(float), cudaMemcpyDeviceToHost, stream),
        "cudaMemcpyAsync");
    kernels::check(cudaStreamSynchronize(stream), "cudaStreamSynchronize");
    return losses;
  }

  Course course_;
  std::size_t weights_;
  std::unique_ptr<CudaEngine> engine_;
  StepTensors on_;
  const std::int32_t* held_out_ = nullptr;
  const float* first_ = nullptr;
  float* all_weights_ = nullptr;
  float* all_losses_ = nullptr;
};

}  // namespace training
