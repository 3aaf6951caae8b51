// The engine of CUDA's training steps in the emulator: its kernels as nvcc compiles them, with plain products
// in place of cuBLASLt, against the float64 model.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <memory>
#include <random>

#include "kernels/training/cpu_model.h"
#include "kernels/training/engine.cuh"
#include "kernels/training/replicas.h"
#include "kernels/training/sparse_loss/pattern_masks.h"
#include "tests/emulate/memory.h"
#include "tests/kernels/training_device.h"

namespace training {
namespace {

double distance(const float* values, const std::vector<double>& right) {
  double off = 0, size = 0;
  for (std::size_t i = 0; i < right.size(); ++i) {
    const double difference = static_cast<double>(values[i]) - right[i];
    off += difference * difference;
    size += right[i] * right[i];
  }
  return std::sqrt(off / size);
}

// A model with its batch on the emulated device, and the same in double.
class OnDevice {
 public:
  OnDevice(const ModelShape& shape, std::int64_t batch, Precision precision, const Optimizer& optimizer,
           bool recomputes = false, std::optional<compression::Settings> compression = {},
           bool has_wgmma = true, bool is_late = false)
      : optimizer_(optimizer),
        device_(has_wgmma, is_late),
        engine_({shape, batch, precision, optimizer, recomputes, compression}, device_),
        first_(first_weights(shape, 9)),
        weights_("weights", std::span<const float>(first_)),
        mean_("mean", weights_.size()),
        variance_("variance", weights_.size()),
        workspace_("workspace", engine_.bytes()),
        right_(weights_.data(), weights_.data() + weights_.size()),
        right_mean_(weights_.size()),
        right_variance_(weights_.size()),
        model_(shape, batch) {
    std::fill_n(mean_.data(), mean_.size(), 0.0F);
    std::fill_n(variance_.data(), variance_.size(), 0.0F);
    engine_.bind(workspace_.data());
    on_.weights = weights_.data();
    on_.mean = mean_.data();
    on_.variance = variance_.data();
    on_.loss = losses_.data();
    batch_.size = batch;
  }

  // Random tokens one sequence after the other, or values.
  void fill(const ModelShape& shape) {
    std::mt19937_64 random(5);
    const std::int64_t count = batch_.size * shape.sequence;
    if (shape.vocabulary > 0) {
      for (std::int64_t i = 0; i < count + batch_.size; ++i)
        array_.push_back(static_cast<std::int32_t>(random() % static_cast<std::uint64_t>(shape.vocabulary)));
      tokens_ = array_;
      vocabulary_ = shape.vocabulary;
      on_.tokens = {.array = array_.data(),
                    .batch = static_cast<std::int32_t>(batch_.size),
                    .sequence = static_cast<std::int32_t>(shape.sequence)};
      batch_.tokens = tokens_;
      return;
    }
    for (std::int64_t i = 0; i < 2 * count * shape.d; ++i)
      values_.push_back(static_cast<float>(random() >> 11) * 0x1p-52F - 1);
    in_double_.assign(values_.begin(), values_.end());
    const auto half = static_cast<std::size_t>(count * shape.d);
    values_on_device_ = std::make_unique<emulate::Buffer<float>>("values", std::span<const float>(values_));
    on_.input = values_on_device_->data();
    on_.target = on_.input + half;
    batch_.input = std::span<const double>(in_double_).first(half);
    batch_.target = std::span<const double>(in_double_).subspan(half);
  }

  // A text of random symbols, with a start for each sequence of each step.
  void fill_text(const ModelShape& shape, std::int64_t steps) {
    std::mt19937_64 random(6);
    for (int i = 0; i < 200; ++i)
      text_.push_back(static_cast<std::int8_t>(random() % static_cast<std::uint64_t>(shape.vocabulary)));
    for (std::int64_t i = 0; i < steps * batch_.size; ++i)
      array_.push_back(
          static_cast<std::int32_t>(random() % (200 - static_cast<std::uint64_t>(shape.sequence) - 1)));
    step_ = 0;
    on_.step = &step_;
    on_.tokens = {.text = text_.data(),
                  .starts = array_.data(),
                  .step = &step_,
                  .batch = static_cast<std::int32_t>(batch_.size),
                  .sequence = static_cast<std::int32_t>(shape.sequence)};
  }

  // A step here and there.
  void step(std::int64_t sequence, bool fresh) {
    const auto number = static_cast<std::size_t>(step_);
    if (on_.step != nullptr) {
      tokens_.clear();
      for (std::int64_t b = 0; b < batch_.size; ++b)
        for (std::int64_t i = 0; i <= sequence; ++i)
          tokens_.push_back(text_.at(static_cast<std::size_t>(
              array_[number * static_cast<std::size_t>(batch_.size) + static_cast<std::size_t>(b)] + i)));
      batch_.tokens = tokens_;
    }
    engine_.step(on_, fresh);
    std::vector<double> gradient(right_.size());
    right_loss_ = model_.gradient(right_, batch_, gradient);
    const StepFactors factors = step_factors(optimizer_, static_cast<int>(number));
    for (std::size_t i = 0; i < right_.size(); ++i)
      update_weight(optimizer_, factors, gradient[i], right_[i], right_mean_[i], right_variance_[i]);
    loss = static_cast<double>(losses_[number]);
  }

  double loss_when_evaluated() {
    engine_.evaluate(on_);
    return static_cast<double>(losses_[static_cast<std::size_t>(step_)]);
  }
  void mask(const AttentionMask& on_device, const AttentionMask& in_double) {
    on_.mask = on_device;
    model_.restrict_attention(in_double);
  }
  // How far the logits of an evaluation are off.
  double error_of_logits(const HeadsObserver& before = {}) {
    std::vector<std::uint16_t> halves(batch_.tokens.size() /
                                      static_cast<std::size_t>(on_.tokens.sequence + 1) *
                                      static_cast<std::size_t>(on_.tokens.sequence * vocabulary_));
    const emulate::Buffer<std::uint16_t> logits("logits", std::span<const std::uint16_t>(halves));
    on_.logits = logits.data();
    engine_.evaluate(on_, before);
    on_.logits = nullptr;
    const std::span<const double> right = model_.logits(right_, batch_);
    std::vector<float> values;
    for (std::size_t i = 0; i < logits.size(); ++i)
      values.push_back(harness::sdk::float_from_bf16(logits[i]));
    return distance(values.data(), {right.begin(), right.end()});
  }

  void expect_near(double tolerance) const {
    EXPECT_NEAR(loss, right_loss_, tolerance * right_loss_);
    EXPECT_LE(distance(mean_.data(), right_mean_), tolerance);
    EXPECT_LE(distance(variance_.data(), right_variance_), 2 * tolerance);
    EXPECT_LE(distance(weights_.data(), right_), tolerance);
  }
  // The first step of the model in double again.
  void compute_right_again() {
    std::vector<double> gradient(right_.size());
    (void)model_.gradient(std::vector<double>(first_.begin(), first_.end()), batch_, gradient);
    for (std::size_t i = 0; i < gradient.size(); ++i)
      right_mean_[i] = (1 - static_cast<double>(optimizer_.beta1)) * gradient[i];
  }
  // The share of bytes of `mask` that the model in double chooses as `chosen` has them.
  double share_of_equal(HostMask& mask, const HeadsObserver& choose, const HostMask& chosen) {
    model_.restrict_attention(mask.view(), choose);
    (void)model_.logits(right_, batch_);
    std::int64_t same = 0;
    for (std::size_t i = 0; i < mask.seen.size(); ++i) same += mask.seen[i] == chosen.seen[i] ? 1 : 0;
    return static_cast<double>(same) / static_cast<double>(mask.seen.size());
  }
  [[nodiscard]] double error_of_mean() const { return distance(mean_.data(), right_mean_); }
  // All that a step changes, by the device.
  [[nodiscard]] std::vector<float> state() const {
    std::vector<float> all{static_cast<float>(loss)};
    for (const auto* part : {&weights_, &mean_, &variance_})
      all.insert(all.end(), part->data(), part->data() + part->size());
    return all;
  }
  [[nodiscard]] std::vector<float> mean() const { return {mean_.data(), mean_.data() + mean_.size()}; }
  [[nodiscard]] std::size_t workspace_bytes() const { return engine_.bytes(); }
  [[nodiscard]] double right_loss() const { return right_loss_; }

  double loss = 0;

 private:
  Optimizer optimizer_;
  EmulatedDevice device_;
  Engine<EmulatedDevice> engine_;
  std::vector<float> first_;
  emulate::Buffer<float> weights_, mean_, variance_;
  emulate::Memory workspace_;
  std::vector<double> right_, right_mean_, right_variance_;
  CpuModel<double> model_;
  StepTensors on_;
  Batch<double> batch_;
  std::vector<std::int32_t> array_, tokens_;
  std::vector<std::int8_t> text_;
  std::vector<float> values_;
  std::vector<double> in_double_;
  std::unique_ptr<emulate::Buffer<float>> values_on_device_;
  std::int32_t step_ = 0;
  std::int64_t vocabulary_ = 0;
  double right_loss_ = 0;
  std::vector<float> losses_ = std::vector<float>(4);
};

constexpr Optimizer plain{.rate = 1e-4F};

void expect_step(const ModelShape& shape, std::int64_t batch, bool has_wgmma = true) {
  for (const Precision precision : {Precision::bf16, Precision::fp8_current}) {
    OnDevice model(shape, batch, precision, plain, false, {}, has_wgmma);
    model.fill(shape);
    model.step(shape.sequence, true);
    model.expect_near(precision == Precision::bf16 ? 0.02 : 0.2);
    const double least = precision == Precision::bf16 ? 1e-4 : 0.01;
    EXPECT_GT(model.error_of_mean(), least) << "that precise is another type";
  }
}

TEST(Engine, TrainsAModel) {
  expect_step({.d = 32, .heads = 2, .layers = 2, .sequence = 16, .vocabulary = 48}, 3);
}
TEST(Engine, TrainsAModelOfFewSymbolsWhoseRowsHaveTwoParts) {
  expect_step({.d = 128, .heads = 2, .layers = 1, .sequence = 16, .vocabulary = 16}, 2);
}
TEST(Engine, TrainsALayer) {
  expect_step({.d = 80, .heads = 5, .layers = 1, .sequence = 48, .vocabulary = 0}, 1);
}
TEST(Engine, TrainsALayerWithWideHeads) {
  expect_step({.d = 144, .heads = 2, .layers = 1, .sequence = 80, .vocabulary = 0}, 1);
}
TEST(Engine, TrainsALayerWithoutWgmma) {
  expect_step({.d = 80, .heads = 5, .layers = 1, .sequence = 48, .vocabulary = 0}, 1, false);
}

// The same numbers from less memory: each layer but the first has only its input.
TEST(Engine, ComputesLayersAgainToTheSameGradients) {
  const ModelShape shape{.d = 16, .heads = 2, .layers = 2, .sequence = 16, .vocabulary = 16};
  constexpr std::int64_t batch = 1, tokens = batch * 16;
  for (const Precision precision : {Precision::bf16, Precision::fp8_current}) {
    OnDevice keeps(shape, batch, precision, plain), recomputes(shape, batch, precision, plain, true);
    for (OnDevice* const model : {&keeps, &recomputes}) {
      model->fill(shape);
      model->step(shape.sequence, true);
    }
    EXPECT_EQ(keeps.state(), recomputes.state());
    EXPECT_GE(keeps.workspace_bytes() - recomputes.workspace_bytes(), 20 * tokens * shape.d);
  }
}

// An operand that changes before a late product has read it would make another gradient.
TEST(Engine, LetsWorkBesideTheBackwardPassBeLate) {
  const ModelShape shape{.d = 16, .heads = 2, .layers = 3, .sequence = 16, .vocabulary = 16};
  for (const Precision precision : {Precision::bf16, Precision::fp8_current, Precision::fp8_delayed})
    for (const bool recomputes : {false, true}) {
      std::vector<decltype(std::declval<OnDevice>().state())> states;
      for (const bool is_late : {false, true}) {
        OnDevice model(shape, 1, precision, plain, recomputes, {}, true, is_late);
        model.fill(shape);
        model.step(shape.sequence, true);
        model.step(shape.sequence, false);
        states.push_back(model.state());
      }
      EXPECT_EQ(states.front(), states.back());
    }
}

// After the first step a mean is a tenth of the gradient that the optimizer got.
TEST(Engine, CompressesTheGradientForTheOptimizer) {
  const ModelShape shape{.d = 16, .heads = 2, .layers = 1, .sequence = 16, .vocabulary = 16};
  const auto mean_by = [&](std::optional<compression::Settings> settings) {
    OnDevice model(shape, 1, Precision::bf16, plain, false, settings);
    model.fill(shape);
    model.step(shape.sequence, true);
    return model.mean();
  };
  const std::vector<float> whole = mean_by({});
  const compression::Settings tenth{compression::Form::largest, 10};
  const std::vector<float> largest = mean_by(tenth),
                           codes = mean_by(compression::Settings{compression::Form::int8});
  std::int64_t kept = 0;
  double off = 0, size = 0;
  for (std::size_t i = 0; i < whole.size(); ++i) {
    if (largest[i] != 0) {
      EXPECT_EQ(largest[i], whole[i]);
      ++kept;
    }
    off += std::pow(static_cast<double>(codes[i] - whole[i]), 2);
    size += std::pow(static_cast<double>(whole[i]), 2);
  }
  const std::int64_t most = compression::most_kept(tenth, std::ssize(whole));
  EXPECT_LE(kept, most);
  EXPECT_GE(kept, most * 9 / 10);
  EXPECT_LE(std::sqrt(off / size), 0.02);
  EXPECT_GT(off, 0);
}

// Steps of a text, of which the first takes its own scales.
TEST(Engine, CountsStepsAndScalesByTheStepBefore) {
  const ModelShape shape{.d = 32, .heads = 4, .layers = 1, .sequence = 16, .vocabulary = 32};
  for (const Precision precision : {Precision::bf16, Precision::fp8_delayed}) {
    OnDevice model(shape, 2, precision, {.rate = 1e-3F, .warmup = 2});
    model.fill_text(shape, 4);
    for (int step = 0; step < 3; ++step) {
      model.step(shape.sequence, step == 0);
      model.expect_near(precision == Precision::bf16 ? 0.02 : 0.2);
    }
  }
}

TEST(Engine, EvaluatesWithoutAStep) {
  const ModelShape shape{.d = 32, .heads = 2, .layers = 1, .sequence = 16, .vocabulary = 32};
  OnDevice model(shape, 2, Precision::bf16, plain);
  model.fill(shape);
  const double before = model.loss_when_evaluated();
  EXPECT_EQ(model.loss_when_evaluated(), before);
  model.step(shape.sequence, true);
  EXPECT_EQ(model.loss, before);
  EXPECT_NEAR(before, model.right_loss(), 0.02);
}

// Two layers of two heads, whose masks differ.
const ModelShape masked_shape{.d = 32, .heads = 2, .layers = 2, .sequence = 32, .vocabulary = 48};

TEST(Engine, EvaluatesWithTheMaskOfEachLayerAndHead) {
  OnDevice model(masked_shape, 2, Precision::bf16, plain);
  model.fill(masked_shape);
  const HostMask mask = random_mask(masked_shape, {masked_shape.sequence, 1, 90}, 4);
  model.mask(mask.view(), mask.view());
  EXPECT_LE(model.error_of_logits(), 0.02);
  model.mask({}, mask.view());
  EXPECT_GT(model.error_of_logits(), 0.04) << "without the mask";
  HostMask other = mask;
  std::swap_ranges(other.list(0, 0), other.list(0, 1), other.list(0, 1));
  model.mask(other.view(), mask.view());
  EXPECT_GT(model.error_of_logits(), 0.04) << "the heads of the first layer have each other's mask";
}

TEST(Engine, TrainsWithAMask) {
  const HostMask mask = random_mask(masked_shape, {masked_shape.sequence, 1, 75}, 7);
  for (const bool masked : {true, false}) {
    OnDevice model(masked_shape, 2, Precision::bf16, plain);
    model.fill(masked_shape);
    const AttentionMask its = masked ? mask.view() : AttentionMask{};
    model.mask(its, its);
    model.step(masked_shape.sequence, true);
    model.expect_near(0.02);
    // The gradient of the other attention is further away than rounding.
    model.mask(its, masked ? AttentionMask{} : mask.view());
    model.compute_right_again();
    EXPECT_GT(model.error_of_mean(), 0.05);
  }
}

// The pattern `threshold`: each layer's mask is made of its own queries and keys, on their way.
TEST(Engine, ShowsTheQueriesAndKeysOfALayerBeforeItsAttention) {
  OnDevice model(masked_shape, 2, Precision::bf16, plain);
  model.fill(masked_shape);
  const sparse_attention::CausalBlocks blocks(masked_shape.sequence, 1, 75);
  HostMask mask(masked_shape, blocks, 2 * masked_shape.heads);
  const HeadsObserver choose = choosing_observer(masked_shape, blocks, mask);
  std::vector<std::int64_t> layers;
  model.mask(mask.view(), mask.view());
  // The oracle has the mask that the device chose.
  EXPECT_LE(model.error_of_logits([&](std::int64_t layer, const std::uint16_t* q, const std::uint16_t* k) {
    layers.push_back(layer);
    const auto f16 = [](const std::uint16_t* from) {
      std::vector<std::uint16_t> codes;
      for (std::int64_t i = 0; i < 2 * masked_shape.sequence * masked_shape.d; ++i)
        codes.push_back(harness::sdk::f16_from_float(harness::sdk::float_from_bf16(from[i])));
      return codes;
    };
    choose(layer, f16(q).data(), f16(k).data());
  }),
            0.02);
  EXPECT_EQ(layers, (std::vector<std::int64_t>{0, 1}));
  // The oracle chooses nearly the same blocks by its own queries and keys: a wrong layout would not.
  const HostMask chosen = mask;
  EXPECT_GT(model.share_of_equal(mask, choose, chosen), 0.97);
}

}  // namespace
}  // namespace training
