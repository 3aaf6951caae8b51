// The workload training_step: parameters, work, inputs and the float64 oracle.
#include <algorithm>
#include <cmath>
#include <random>
#include <stdexcept>
#include <string>
#include <vector>

#include "harness/sdk/in_parts.h"
#include "harness/sdk/registry.h"
#include "kernels/training/cpu_model.h"
#include "kernels/training/replicas.h"
#include "kernels/training/step/training_step.h"

namespace training {
namespace {

using harness::sdk::DType;
using harness::sdk::HostTensor;
using harness::sdk::ParamKind;
using harness::sdk::Params;
using harness::sdk::ParamSpec;
using harness::sdk::Problem;
using harness::sdk::Role;
using harness::sdk::Value;

constexpr double device_bytes = 141e9;  // of an H200

// Weights with their moments, gradients and BF16 copies. In BF16 16 values that a layer keeps for each
// element of its input, and logits. Probabilities and their gradients for all pairs of tokens.
double bytes_needed(const ModelShape& shape, std::int64_t batch) {
  const auto real = [](std::int64_t count) { return static_cast<double>(count); };
  const double kept = 32 * real(shape.layers) * real(shape.d) + 2 * real(shape.vocabulary);
  const double tokens = real(batch * shape.sequence), pairs = tokens * real(shape.sequence * shape.heads);
  return 18 * real(Layout(shape).size()) + kept * tokens + 4 * pairs;
}

class TrainingStep final : public harness::sdk::Workload {
 public:
  [[nodiscard]] std::string_view name() const override { return "training_step"; }
  [[nodiscard]] std::string_view summary() const override {
    return "forward, backward and AdamW of a transformer's layers, or of a whole model with its vocabulary";
  }
  [[nodiscard]] std::vector<ParamSpec> params() const override {
    return {{"d", ParamKind::integer, "width of the model", {}, {}, 1},
            {"heads", ParamKind::integer, "heads of attention; divides d", {}, {}, 1},
            {"layers", ParamKind::integer, "layers", {}, {Value{std::int64_t{1}}}, 1},
            {"s", ParamKind::integer, "tokens of a sequence", {}, {}, 1},
            {"batch", ParamKind::integer, "sequences", {}, {}, 1},
            {"vocabulary", ParamKind::integer, "0: layers alone", {}, {Value{std::int64_t{0}}}, 0}};
  }
  [[nodiscard]] Problem problem(const Params& params) const override;
  void fill(const Params& params, std::uint64_t seed, std::span<HostTensor> inputs) const override;
  void reference(const Params& params, std::span<const HostTensor> inputs, std::size_t output,
                 std::span<const std::int64_t> wanted, std::span<double> expected) const override;

 private:
  // The narrow model's step that was computed last: outputs are asked for one by one.
  struct Answer {
    std::vector<double> weights, input, target, gradient;
    std::vector<std::int32_t> tokens;
    double loss = 0;
  };
  const Answer& answer(const ModelShape& shape, const Replicas& replicas,
                       std::span<const HostTensor> inputs) const;

  mutable Answer last_;
};

std::span<const float> floats_of(const HostTensor& tensor) {
  return {reinterpret_cast<const float*>(tensor.data.data()), tensor.data.size() / sizeof(float)};
}
std::span<float> floats_of(HostTensor& tensor) {
  return {reinterpret_cast<float*>(tensor.data.data()), tensor.data.size() / sizeof(float)};
}

Problem TrainingStep::problem(const Params& params) const {
  const ModelShape shape = shape_of(params);
  const std::int64_t batch = params.integer("batch"), n = Layout(shape).size();
  if (shape.d % shape.heads != 0) throw harness::sdk::Unsupported("d must be a multiple of heads");
  if (const double needed = bytes_needed(shape, batch); needed > device_bytes)
    throw harness::sdk::Unsupported(
        std::to_string(n / 1000000) + " million weights and " + std::to_string(batch * shape.sequence) +
        " tokens need " + std::to_string(std::llround(needed / 1e9)) + " GB, and an H200 has " +
        std::to_string(std::llround(device_bytes / 1e9)) + ": take fewer layers or tokens");
  Problem problem;
  problem.tensors = {{"weights", Role::in_place, DType::f32, {n}},
                     {"mean", Role::in_place, DType::f32, {n}},
                     {"variance", Role::in_place, DType::f32, {n}}};
  if (shape.vocabulary > 0) {
    problem.tensors.push_back({"tokens", Role::input, DType::i32, {batch, shape.sequence + 1}});
  } else {
    problem.tensors.push_back({"input", Role::input, DType::f32, {batch, shape.sequence, shape.d}});
    problem.tensors.push_back({"target", Role::input, DType::f32, {batch, shape.sequence, shape.d}});
  }
  problem.tensors.push_back({"loss", Role::output, DType::f32, {1}});
  problem.work.flops = step_flops(shape, batch);
  problem.work.bytes = 24 * static_cast<double>(n);  // weights and moments, read and written
  problem.work.items = static_cast<double>(batch * shape.sequence);
  problem.work.item_name = "tokens";
  problem.tolerance = {1e-4};
  return problem;
}

// Weights repeat along the width and sequences along the batch where replicas.h says so. The moments stay the
// zeros that they begin as, so that the new mean is a tenth of the gradient. Writing them would take seconds.
void TrainingStep::fill(const Params& params, std::uint64_t seed, std::span<HostTensor> inputs) const {
  const ModelShape shape = shape_of(params);
  const std::int64_t batch = params.integer("batch"), s = shape.sequence, d = shape.d;
  const Replicas replicas = replicas_of(shape, batch);
  widen_weights(shape, replicas, first_weights(replicas.narrow, seed), floats_of(inputs[weights_index]));
  std::mt19937_64 random(seed + 1);
  if (shape.vocabulary > 0) {
    for (std::int64_t i = 0; i < replicas.narrow_batch * (s + 1); ++i) {
      const auto token = static_cast<double>(random() % static_cast<std::uint64_t>(shape.vocabulary));
      for (std::int64_t at = i; at < batch * (s + 1); at += replicas.narrow_batch * (s + 1))
        inputs[input_index].set(at, token);
    }
    return;
  }
  for (const std::size_t index : {input_index, target_index}) {
    const std::span<float> values = floats_of(inputs[index]);
    const std::int64_t narrow = replicas.narrow.d, rows = replicas.narrow_batch * s;
    for (std::int64_t i = 0; i < rows * narrow; ++i) {
      const auto value = static_cast<float>(static_cast<double>(random() >> 11) * 0x1p-52 - 1);
      for (std::int64_t row = i / narrow; row < batch * s; row += rows)
        for (std::int64_t column = i % narrow; column < d; column += narrow)
          values[static_cast<std::size_t>(row * d + column)] = value;
    }
  }
}

const TrainingStep::Answer& TrainingStep::answer(const ModelShape& shape, const Replicas& replicas,
                                                 std::span<const HostTensor> inputs) const {
  Answer next;
  next.weights = narrow_weights(shape, replicas, floats_of(inputs[weights_index]));
  Batch<double> batch{.size = replicas.narrow_batch};
  const std::int64_t rows = replicas.narrow_batch * shape.sequence, narrow = replicas.narrow.d;
  if (shape.vocabulary > 0) {
    for (std::int64_t i = 0; i < replicas.narrow_batch * (shape.sequence + 1); ++i)
      next.tokens.push_back(static_cast<std::int32_t>(inputs[input_index].at(i)));
  } else {
    for (std::int64_t i = 0; i < rows * narrow; ++i) {
      const std::int64_t at = i / narrow * shape.d + i % narrow;
      next.input.push_back(inputs[input_index].at(at));
      next.target.push_back(inputs[target_index].at(at));
    }
  }
  if (next.weights == last_.weights && next.input == last_.input && next.target == last_.target &&
      next.tokens == last_.tokens)
    return last_;
  last_ = std::move(next);
  batch.tokens = last_.tokens;
  batch.input = last_.input;
  batch.target = last_.target;
  last_.gradient.resize(last_.weights.size());
  CpuModel<double> model(replicas.narrow, batch.size, Numbers::exact, harness::sdk::preparing_threads());
  last_.loss = model.gradient(last_.weights, batch, last_.gradient);
  return last_;
}

void TrainingStep::reference(const Params& params, std::span<const HostTensor> inputs, std::size_t output,
                             std::span<const std::int64_t> wanted, std::span<double> expected) const {
  if (output > loss_output) throw std::out_of_range("training_step has outputs 0 to 3");
  const ModelShape shape = shape_of(params);
  const Replicas replicas = replicas_of(shape, params.integer("batch"));
  const Answer& right = answer(shape, replicas, inputs);
  if (output == loss_output) {
    for (double& one : expected) one = right.loss;
    return;
  }
  const std::vector<Repeated> blocks = repeated_blocks(shape, replicas);
  const StepFactors factors = step_factors(step_optimizer, step_number);
  for (std::size_t e = 0; e < wanted.size(); ++e) {
    const auto after = std::find_if(blocks.begin(), blocks.end(),
                                    [&](const Repeated& block) { return block.wide.first > wanted[e]; });
    const Repeated& block = *(after - 1);
    const std::int64_t at = wanted[e] - block.wide.first, columns = block.wide.columns;
    const auto narrow = static_cast<std::size_t>(block.narrow_index(at / columns, at % columns));
    double weight = inputs[weights_index].at(wanted[e]), mean = inputs[mean_index].at(wanted[e]);
    double variance = inputs[variance_index].at(wanted[e]);
    update_weight(step_optimizer, factors, right.gradient[narrow] * block.gradient_factor(), weight, mean,
                  variance);
    expected[e] = output == mean_index ? mean : output == variance_index ? variance : weight;
  }
}

}  // namespace
}  // namespace training

HARNESS_WORKLOAD(training_step, training::TrainingStep)
