#include "kernels/classifier/mode_kernel.h"

#include <algorithm>
#include <cmath>

#include "kernels/quantise.h"

namespace classifier {

using harness::sdk::DType;

namespace {

bool is_plain(DType type) {
  return type == DType::f32 || type == DType::f16;
}

// The smallest power of two of which the type's largest power of two covers the group: OCP MX, section 6.3.
float power_of_two_for(float largest, DType type) {
  if (!(largest > 0)) return 1;
  return std::ldexp(1.0F, std::ilogb(largest) - std::ilogb(kernels::largest_code(type)));
}

}  // namespace

RoundedWeights rounded_weights(const Mode& mode, std::span<const float> weights, std::int64_t outputs) {
  const std::int64_t inputs = std::ssize(weights) / outputs;
  RoundedWeights rounded{std::vector<float>(weights.size()), {}, mode.group > 0 ? mode.group : inputs};
  const float of_layer = kernels::largest_magnitude(weights.data(), std::ssize(weights));
  for (std::int64_t first = 0; first < inputs; first += rounded.group)
    for (std::int64_t o = 0; o < outputs; ++o) {
      const std::int64_t count = std::min(rounded.group, inputs - first);
      const float* const from = weights.data() + first * outputs + o;
      const float largest = mode.one_scale ? of_layer : kernels::largest_magnitude(from, count, outputs);
      const float scale = is_plain(mode.weights) ? 1
                          : mode.power_of_two    ? power_of_two_for(largest, mode.weights)
                                                 : kernels::scale_for(largest, mode.weights);
      rounded.scales.push_back(scale);
      for (std::int64_t i = 0; i < count; ++i)
        rounded.codes[static_cast<std::size_t>((first + i) * outputs + o)] =
            kernels::rounded_code(from[i * outputs], scale, mode.weights);
    }
  return rounded;
}

double model_bytes(const Mode& mode, const Layout& layout) {
  const auto of_layer = [&](std::int64_t inputs, std::int64_t outputs) {
    const std::int64_t in_group = mode.group > 0 ? mode.group : inputs;
    const std::int64_t scales = mode.one_scale ? 1 : (inputs + in_group - 1) / in_group * outputs;
    const double codes = static_cast<double>(harness::sdk::bytes_of(mode.weights, inputs * outputs));
    const double scale_bytes = is_plain(mode.weights) ? 0 : mode.power_of_two ? 1 : 4;
    const double bias_bytes = mode.weights == DType::f16 ? 2 : 4;
    return codes + scale_bytes * static_cast<double>(scales) + bias_bytes * static_cast<double>(outputs);
  };
  const double of_ranges = mode.activations == Activations::calibrated ? 4.0 * ranges : 0.0;
  return of_layer(pixels, layout.hidden) + of_layer(layout.hidden, classes) + of_ranges;
}

ModeKernel::ModeKernel(const harness::sdk::Params& params, const Mode& mode)
    : mode_(mode),
      layout_{params.integer("hidden")},
      hidden_(static_cast<std::size_t>(layout_.hidden * test_pictures)),
      codes_(static_cast<std::size_t>(std::max(layout_.hidden, pixels))) {}

void ModeKernel::bind(const harness::sdk::Buffers& buffers) {
  x_ = buffers.as<float>(x_index);
  network_ = buffers.as<float>(mode_.network);
  ranges_ =
      buffers.as<float>(ranges_index) + static_cast<std::int64_t>(mode_.network - network_index) * ranges;
  logits_ = buffers.as<float>(logits_index);
}

// The codes of one picture's values and their scale.
void ModeKernel::enter(const float* in, std::int64_t inputs, float range) {
  const DType type = mode_.activations == Activations::as_computed ? DType::f32
                     : mode_.activations == Activations::f16       ? DType::f16
                                                                   : mode_.weights;
  const float largest =
      mode_.activations == Activations::dynamic ? kernels::largest_magnitude(in, inputs) : range;
  code_scale_ = is_plain(type) ? 1 : kernels::scale_for(largest, type);
  for (std::int64_t i = 0; i < inputs; ++i)
    codes_[static_cast<std::size_t>(i)] =
        type == DType::f32 ? in[i] : kernels::rounded_code(in[i], code_scale_, type);
}

// Sums products of codes, for each group by itself. Sums of int8 codes are exact: whole numbers below 2^24.
void ModeKernel::layer(const float* in, std::int64_t inputs, const float* weights, const float* bias,
                       std::int64_t outputs, float range, float* out) {
  const RoundedWeights rounded =
      rounded_weights(mode_, {weights, static_cast<std::size_t>(inputs * outputs)}, outputs);
  std::vector<float> sums(static_cast<std::size_t>(outputs));
  for (std::int64_t t = 0; t < test_pictures; ++t) {
    enter(in + t * inputs, inputs, range);
    float* const result = out + t * outputs;
    std::copy_n(bias, outputs, result);
    const float* scales = rounded.scales.data();
    for (std::int64_t first = 0; first < inputs; first += rounded.group, scales += outputs) {
      std::fill(sums.begin(), sums.end(), 0.0F);
      for (std::int64_t i = first; i < std::min(first + rounded.group, inputs); ++i)
        for (std::int64_t o = 0; o < outputs; ++o)
          sums[static_cast<std::size_t>(o)] +=
              codes_[static_cast<std::size_t>(i)] * rounded.codes[static_cast<std::size_t>(i * outputs + o)];
      for (std::int64_t o = 0; o < outputs; ++o)
        result[o] += sums[static_cast<std::size_t>(o)] * scales[o] * code_scale_;
    }
  }
}

void ModeKernel::run(harness::sdk::Stream) {
  layer(x_, pixels, network_ + layout_.w1(), network_ + layout_.b1(), layout_.hidden, ranges_[0],
        hidden_.data());
  for (float& value : hidden_) value = std::max(value, 0.0F);
  layer(hidden_.data(), layout_.hidden, network_ + layout_.w2(), network_ + layout_.b2(), classes, ranges_[1],
        logits_);
}

void ModeKernel::report(harness::sdk::MetricSink& sink) const {
  sink.report("model_bytes", model_bytes(mode_, layout_));
}

}  // namespace classifier
