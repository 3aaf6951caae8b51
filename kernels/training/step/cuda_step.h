// CudaStep: training_step by the engine on CUDA. A variant is a precision, or `recomputes`: layers are
// computed again in the backward pass.
#pragma once

#include <memory>

#include "harness/sdk/registry.h"
#include "kernels/training/cuda_engine.h"
#include "kernels/training/step/training_step.h"

namespace training {

template <Precision precision, bool recomputes = false>
class CudaStep final : public harness::sdk::Kernel {
 public:
  CudaStep(const harness::sdk::Params& params, const harness::sdk::Problem&,
           const harness::sdk::DeviceTraits& traits)
      : shape_(shape_of(params)),
        batch_(params.integer("batch")),
        engine_(make_cuda_engine({shape_, batch_, precision, step_optimizer, recomputes}, traits)) {}

  [[nodiscard]] std::size_t workspace_bytes() const override { return engine_->workspace_bytes(); }
  [[nodiscard]] std::optional<harness::sdk::Tolerance> tolerance() const override {
    return harness::sdk::Tolerance{precision == Precision::bf16 ? 0.05 : 0.3};
  }
  void bind(const harness::sdk::Buffers& buffers) override {
    engine_->bind(buffers.workspace);
    on_ = {};
    on_.weights = buffers.as<float>(weights_index);
    on_.mean = buffers.as<float>(mean_index);
    on_.variance = buffers.as<float>(variance_index);
    on_.loss = buffers.as<float>(loss_index(shape_));
    if (shape_.vocabulary > 0) {
      on_.tokens.array = buffers.as<const std::int32_t>(input_index);
      on_.tokens.batch = static_cast<std::int32_t>(batch_);
      on_.tokens.sequence = static_cast<std::int32_t>(shape_.sequence);
    } else {
      on_.input = buffers.as<const float>(input_index);
      on_.target = buffers.as<const float>(target_index);
    }
  }
  void run(harness::sdk::Stream stream) override { engine_->step(stream, on_, true); }
  // A layer has up to 60 launches, and the queue of a stream takes about 1,000: then a launch waits for it.
  [[nodiscard]] bool synchronises() const override { return shape_.layers > 8; }

 private:
  ModelShape shape_;
  std::int64_t batch_;
  std::unique_ptr<CudaEngine> engine_;
  StepTensors on_;
};

}  // namespace training
