// CpuStep: training_step on one thread in float32, with the operands of its products rounded to a type. A
// variant is a type, or `recomputes`: layers are computed again in the backward pass.
#pragma once

#include <vector>

#include "harness/sdk/registry.h"
#include "kernels/training/cpu_model.h"
#include "kernels/training/step/training_step.h"

namespace training {

template <Numbers numbers, bool recomputes = false>
class CpuStep final : public harness::sdk::Kernel {
 public:
  CpuStep(const harness::sdk::Params& params, const harness::sdk::Problem&, const harness::sdk::DeviceTraits&)
      : shape_(shape_of(params)),
        batch_(params.integer("batch")),
        model_(shape_, batch_, numbers),
        gradient_(static_cast<std::size_t>(Layout(shape_).size())) {
    if (recomputes) model_.recompute();
    constexpr double most = 1e10;
    if (step_flops(shape_, batch_) > most)
      throw harness::sdk::Unsupported("more than 10^10 operations take too long on one thread");
  }

  [[nodiscard]] std::optional<harness::sdk::Tolerance> tolerance() const override {
    if (numbers == Numbers::exact) return std::nullopt;
    return harness::sdk::Tolerance{numbers == Numbers::bf16 ? 0.02 : 0.25};
  }
  void bind(const harness::sdk::Buffers& buffers) override {
    weights_ = buffers.as<float>(weights_index);
    mean_ = buffers.as<float>(mean_index);
    variance_ = buffers.as<float>(variance_index);
    loss_ = buffers.as<float>(loss_index(shape_));
    const auto tokens = static_cast<std::size_t>(batch_ * shape_.sequence);
    input_ = {};
    input_.size = batch_;
    if (shape_.vocabulary > 0) {
      input_.tokens = {buffers.as<std::int32_t>(input_index), tokens + static_cast<std::size_t>(batch_)};
    } else {
      const std::size_t values = tokens * static_cast<std::size_t>(shape_.d);
      input_.input = {buffers.as<float>(input_index), values};
      input_.target = {buffers.as<float>(target_index), values};
    }
  }
  void run(harness::sdk::Stream) override {
    *loss_ = model_.gradient({weights_, gradient_.size()}, input_, gradient_);
    const StepFactors factors = step_factors(step_optimizer, step_number);
    for (std::size_t i = 0; i < gradient_.size(); ++i)
      update_weight(step_optimizer, factors, gradient_[i], weights_[i], mean_[i], variance_[i]);
  }

 private:
  ModelShape shape_;
  std::int64_t batch_;
  CpuModel<float> model_;
  std::vector<float> gradient_;
  Batch<float> input_;
  float* weights_ = nullptr;
  float* mean_ = nullptr;
  float* variance_ = nullptr;
  float* loss_ = nullptr;
};

}  // namespace training
