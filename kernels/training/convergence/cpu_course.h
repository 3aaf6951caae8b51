// CpuCourse: convergence on one thread in float32, with the operands of its products rounded to a type, or
// with gradients that are compressed on their way to the optimizer. A variant is a type, or a compressed
// form.
#pragma once

#include <chrono>

#include "kernels/compression/compression.h"
#include "kernels/training/convergence/convergence.h"

namespace training {

// Gradients as they are, or from a form of kernels/compression with its own error feedback.
struct WholeGradients {
  static constexpr bool exact = true;
  static GradientHook hook() { return {}; }
};
template <compression::Form form, std::int64_t percent = 100>
struct CompressedGradients {
  static constexpr bool exact = false;
  static GradientHook hook() {
    return [compressor = compression::PlainCompressor({form, percent}), residual = std::vector<float>(),
            restored = std::vector<float>()](std::span<float> gradient) mutable {
      residual.resize(gradient.size());
      restored.resize(gradient.size());
      compressor.run(residual, gradient, restored);
      std::copy(restored.begin(), restored.end(), gradient.begin());
    };
  }
};

template <Numbers numbers, class Gradients = WholeGradients>
class CpuCourse final : public harness::sdk::Kernel {
 public:
  CpuCourse(const harness::sdk::Params& params, const harness::sdk::Problem&,
            const harness::sdk::DeviceTraits&)
      : course_(course_of(params)) {
    constexpr double most = 1e11;
    if (static_cast<double>(course_.train_steps) * step_flops(course_.shape, course_.batch) > most)
      throw harness::sdk::Unsupported("more than 10^11 operations take too long on one thread");
  }

  [[nodiscard]] std::optional<harness::sdk::Tolerance> tolerance() const override {
    // The first steps move a weight by at most their rate, whatever its gradient is.
    if (!Gradients::exact) return harness::sdk::Tolerance{1e-3};
    if (numbers == Numbers::exact) return std::nullopt;
    return harness::sdk::Tolerance{numbers == Numbers::bf16 ? 2e-3 : 1e-2};
  }
  void bind(const harness::sdk::Buffers& buffers) override {
    const auto starts = static_cast<std::size_t>(course_.train_steps * course_.batch);
    starts_ = {buffers.as<const std::int32_t>(starts_index), starts};
    held_out_ = {buffers.as<const std::int32_t>(held_out_index), static_cast<std::size_t>(course_.batch)};
    first_ = {buffers.as<const float>(first_index), static_cast<std::size_t>(Layout(course_.shape).size())};
    losses_ = buffers.as<float>(losses_index);
    trained_ = buffers.as<float>(trained_index);
  }
  void run(harness::sdk::Stream) override {
    CharacterModel model{course_.shape, {first_.begin(), first_.end()}};
    const auto steps = static_cast<std::size_t>(course_.steps * course_.batch);
    const std::vector<float> losses =
        train(model, starts_.first(steps), course_.batch, numbers, Gradients::hook());
    std::copy(losses.begin(), losses.end(), losses_);
    std::copy(model.weights.begin(), model.weights.end(), trained_);
  }
  void report(harness::sdk::MetricSink& sink) const override {
    const auto began = std::chrono::steady_clock::now();
    CharacterModel model{course_.shape, {first_.begin(), first_.end()}};
    const std::vector<float> losses = train(model, starts_, course_.batch, numbers, Gradients::hook());
    const std::chrono::duration<double> elapsed = std::chrono::steady_clock::now() - began;
    report_losses(losses, sink);
    sink.report("held_out_loss", loss_at(model, held_out_, {}, numbers));
    sink.report("training_time", elapsed.count());
  }

 private:
  Course course_;
  std::span<const std::int32_t> starts_;
  std::span<const std::int32_t> held_out_;
  std::span<const float> first_;
  float* losses_ = nullptr;
  float* trained_ = nullptr;
};

}  // namespace training
