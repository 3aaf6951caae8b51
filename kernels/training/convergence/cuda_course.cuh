// CudaCourse: convergence by the engine on CUDA. A variant is a precision, or a form of gradients. A call
// enqueues its steps.
#pragma once

#include <chrono>

#include "kernels/training/convergence/convergence.h"
#include "kernels/training/cuda_training.cuh"

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
        training_(
            {course_.shape, course_.batch, precision, character_optimizer, false, Gradients::settings()},
            course_.train_steps, traits) {}

  [[nodiscard]] std::size_t workspace_bytes() const override { return training_.workspace_bytes(); }
  [[nodiscard]] std::optional<harness::sdk::Tolerance> tolerance() const override {
    return harness::sdk::Tolerance{precision == Precision::bf16 ? 5e-3 : 2e-2};
  }

  void bind(const harness::sdk::Buffers& buffers) override {
    training_.bind(buffers.workspace, buffers.as<const std::int8_t>(text_index),
                   buffers.as<const std::int32_t>(starts_index), buffers.as<const float>(first_index));
    call_ = training_.tensors();
    call_.weights = buffers.as<float>(trained_index);
    call_.loss = buffers.as<float>(losses_index);
    held_out_ = buffers.as<const std::int32_t>(held_out_index);
  }

  void run(harness::sdk::Stream stream) override {
    training_.begin(call_, static_cast<cudaStream_t>(stream.handle));
    for (std::int64_t i = 0; i < course_.steps; ++i) training_.engine().step(stream, call_, i == 0);
  }

  void report(harness::sdk::MetricSink& sink) const override {
    const kernels::OwnedStream stream = kernels::make_stream();
    const auto began = std::chrono::steady_clock::now();
    training_.train({}, stream.get());
    const std::chrono::duration<double> elapsed = std::chrono::steady_clock::now() - began;

    report_losses(training_.losses(stream.get()), sink);
    const StepTensors on = training_.evaluation(held_out_);
    training_.engine().evaluate({stream.get()}, on, {});
    sink.report("held_out_loss", static_cast<double>(downloaded(on.loss, 1, stream.get()).front()));
    sink.report("training_time", elapsed.count());
  }

 private:
  Course course_;
  CudaTraining training_;
  StepTensors call_;
  const std::int32_t* held_out_ = nullptr;
};

}  // namespace training
