// Training on the CPU: gradients against finite differences, wide models against narrow ones, every variant
// against the oracle, and the character model with its attention and its gradients exchanged.
#include <gmock/gmock.h>

#include <cmath>
#include <map>
#include <memory>
#include <numeric>
#include <random>

#include "harness/sdk/registry.h"
#include "kernels/training/character_model.h"
#include "kernels/training/replicas.h"
#include "kernels/training/text.h"

#define STEP_VARIANTS(use) use(f32) use(bf16_emulated) use(fp8_emulated)
#define DECLARE_STEP(name)                                             \
  void register_variant_training_step_##name(harness::sdk::Registry&); \
  void register_variant_convergence_##name(harness::sdk::Registry&);
#define CALL_STEP(name)                            \
  register_variant_training_step_##name(registry); \
  register_variant_convergence_##name(registry);
void register_variant_training_step_f32_recomputed(harness::sdk::Registry&);
#define COMPRESSED_VARIANTS(use) use(top_1) use(top_10) use(int8)
#define DECLARE_COMPRESSED(name) void register_variant_convergence_##name(harness::sdk::Registry&);
#define CALL_COMPRESSED(name) register_variant_convergence_##name(registry);
void register_workload_training_step(harness::sdk::Registry&);
void register_workload_convergence(harness::sdk::Registry&);
STEP_VARIANTS(DECLARE_STEP)
COMPRESSED_VARIANTS(DECLARE_COMPRESSED)

namespace training {
namespace {

using harness::sdk::HostTensor;
using harness::sdk::Params;
using harness::sdk::Value;

std::vector<double> doubles(const std::vector<float>& from) {
  return {from.begin(), from.end()};
}

struct Example {
  explicit Example(const ModelShape& shape, std::int64_t batch, std::uint64_t seed = 3)
      : weights(doubles(first_weights(shape, seed))), random(seed) {
    for (std::int64_t i = 0; i < batch * (shape.sequence + 1) && shape.vocabulary > 0; ++i)
      tokens.push_back(static_cast<std::int32_t>(random() % static_cast<std::uint64_t>(shape.vocabulary)));
    std::uniform_real_distribution<double> uniform(-1, 1);
    for (std::int64_t i = 0; i < batch * shape.sequence * shape.d; ++i) {
      input.push_back(uniform(random));
      target.push_back(uniform(random));
    }
    of = {batch, tokens, input, target};
  }
  std::vector<double> weights, input, target;
  std::vector<std::int32_t> tokens;
  std::mt19937_64 random;
  Batch<double> of;
};

void expect_gradient(const ModelShape& shape, std::int64_t batch) {
  Example example(shape, batch);
  CpuModel<double> model(shape, batch);
  std::vector<double> gradient(example.weights.size());
  const double loss = model.gradient(example.weights, example.of, gradient);
  EXPECT_DOUBLE_EQ(loss, model.loss(example.weights, example.of));
  double off = 0, size = 0;
  for (std::size_t i = 0; i < gradient.size(); ++i) {
    constexpr double reach = 1e-5;
    const double weight = example.weights[i];
    example.weights[i] = weight + reach;
    const double above = model.loss(example.weights, example.of);
    example.weights[i] = weight - reach;
    const double below = model.loss(example.weights, example.of);
    example.weights[i] = weight;
    const double slope = (above - below) / (2 * reach);
    off += (slope - gradient[i]) * (slope - gradient[i]);
    size += slope * slope;
    EXPECT_NEAR(slope, gradient[i], 1e-6 + 1e-4 * std::fabs(slope)) << "weight " << i;
  }
  EXPECT_LT(std::sqrt(off / size), 1e-6);
}

TEST(Model, HasTheGradientOfFiniteDifferences) {
  expect_gradient({.d = 8, .heads = 2, .layers = 2, .sequence = 5, .vocabulary = 11}, 2);
  expect_gradient({.d = 6, .heads = 3, .layers = 1, .sequence = 3, .vocabulary = 0}, 3);
}

// Repeated weights and sequences give the same loss, and gradients that repeat, too.
void expect_replicas(const ModelShape& wide, std::int64_t batch) {
  const Replicas replicas = replicas_of(wide, batch, 1);
  EXPECT_EQ(replicas.narrow_batch, 1);
  EXPECT_EQ(replicas.narrow.heads, 1);
  Example narrow(replicas.narrow, 1);
  std::vector<float> weights(static_cast<std::size_t>(Layout(wide).size()));
  widen_weights(wide, replicas, first_weights(replicas.narrow, 3), weights);
  const std::vector<double> back = narrow_weights(wide, replicas, weights);
  for (std::size_t i = 0; i < back.size(); ++i) EXPECT_NEAR(back[i], narrow.weights[i], 1e-6);

  std::vector<std::int32_t> tokens;
  std::vector<double> input, target;
  for (std::int64_t b = 0; b < batch; ++b) {
    tokens.insert(tokens.end(), narrow.tokens.begin(), narrow.tokens.end());
    for (std::int64_t t = 0; t < wide.sequence; ++t)
      for (std::int64_t i = 0; i < wide.d; ++i) {
        const auto at = static_cast<std::size_t>(t * replicas.narrow.d + i % replicas.narrow.d);
        input.push_back(narrow.input[at]);
        target.push_back(narrow.target[at]);
      }
  }
  CpuModel<double> few(replicas.narrow, 1), many(wide, batch);
  std::vector<double> of_few(back.size()), of_many(weights.size());
  const double loss = few.gradient(back, narrow.of, of_few);
  EXPECT_NEAR(many.gradient(doubles(weights), {batch, tokens, input, target}, of_many), loss, 1e-6);
  for (const Repeated& block : repeated_blocks(wide, replicas))
    for (std::int64_t i = 0; i < block.wide.rows * block.wide.columns; ++i) {
      const auto at =
          static_cast<std::size_t>(block.narrow_index(i / block.wide.columns, i % block.wide.columns));
      EXPECT_NEAR(of_many[static_cast<std::size_t>(block.wide.first + i)],
                  of_few[at] * block.gradient_factor(), 1e-7)
          << "block " << block.wide.first;
    }
}

// Bit by bit, because the same operations are done again.
TEST(Model, HasTheSameGradientWhereLayersAreComputedAgain) {
  for (const std::int64_t vocabulary : {0, 13}) {
    const ModelShape shape{.d = 16, .heads = 2, .layers = 3, .sequence = 5, .vocabulary = vocabulary};
    const std::vector<float> weights = first_weights(shape, 3);
    std::vector<std::int32_t> tokens;
    std::vector<float> input, target;
    for (int i = 0; i < 2 * 6; ++i) tokens.push_back(i * 5 % 13);
    for (int i = 0; i < 2 * 5 * 16; ++i) {
      input.push_back(static_cast<float>(i % 7) - 3);
      target.push_back(static_cast<float>(i % 5) - 2);
    }
    const Batch<float> batch{.size = 2, .tokens = tokens, .input = input, .target = target};
    for (const Numbers numbers : {Numbers::exact, Numbers::fp8}) {
      std::vector<float> usual(weights.size()), again(weights.size());
      CpuModel<float> keeps(shape, 2, numbers), recomputes(shape, 2, numbers);
      recomputes.recompute();
      for (int times = 0; times < 2; ++times) {
        EXPECT_EQ(keeps.gradient(weights, batch, usual), recomputes.gradient(weights, batch, again));
        EXPECT_EQ(usual, again);
      }
    }
  }
}

TEST(Replicas, ComputeWhatTheNarrowModelDoes) {
  expect_replicas({.d = 24, .heads = 3, .layers = 2, .sequence = 4, .vocabulary = 13}, 2);
  expect_replicas({.d = 16, .heads = 4, .layers = 1, .sequence = 5, .vocabulary = 0}, 3);
}

class Metrics final : public harness::sdk::MetricSink {
 public:
  void report(std::string_view name, double value) override { values.emplace(name, value); }
  std::map<std::string, double> values;
};

// The relative errors of a variant's outputs after a call, and its metrics.
struct Outcome {
  std::vector<double> errors;
  double tolerance = 0;
  std::map<std::string, double> metrics;
};

Outcome run(const std::string& workload_name, const std::string& variant_name, const Params& params,
            std::uint64_t seed) {
  harness::sdk::Registry registry;
  register_workload_training_step(registry);
  register_workload_convergence(registry);
  STEP_VARIANTS(CALL_STEP)
  COMPRESSED_VARIANTS(CALL_COMPRESSED)
  register_variant_training_step_f32_recomputed(registry);
  const auto workload = std::find_if(registry.workloads.begin(), registry.workloads.end(),
                                     [&](const auto& one) { return one->name() == workload_name; });
  const auto variant = std::find_if(registry.variants.begin(), registry.variants.end(), [&](const auto& one) {
    return one.workload == workload_name && one.name == variant_name;
  });
  const harness::sdk::Problem problem = (*workload)->problem(params);
  std::vector<HostTensor> inputs, tensors;
  for (const auto& spec : problem.tensors)
    if (is_input(spec.role)) inputs.emplace_back(spec);
  (*workload)->fill(params, seed, inputs);
  std::size_t next = 0;
  for (const auto& spec : problem.tensors) {
    tensors.emplace_back(spec);
    if (is_input(spec.role))
      tensors.back().data = inputs[next++].data;
    else
      std::fill(tensors.back().data.begin(), tensors.back().data.end(), std::byte{0xFF});
  }
  const auto kernel = variant->make(params, problem, {});
  std::vector<void*> addresses;
  for (HostTensor& tensor : tensors) addresses.push_back(tensor.data.data());
  kernel->bind({addresses, nullptr});
  kernel->run({});
  Outcome outcome{{}, kernel->tolerance().value_or(problem.tolerance).relative, {}};
  std::size_t output = 0;
  for (const HostTensor& tensor : tensors) {
    if (!is_output(tensor.spec.role)) continue;
    std::vector<std::int64_t> wanted(static_cast<std::size_t>(tensor.spec.elements()));
    std::iota(wanted.begin(), wanted.end(), 0);
    std::vector<double> expected(wanted.size());
    (*workload)->reference(params, inputs, output++, wanted, expected);
    double off = 0, size = 0;
    for (std::size_t i = 0; i < wanted.size(); ++i) {
      off += std::pow(tensor.at(wanted[i]) - expected[i], 2);
      size += expected[i] * expected[i];
    }
    outcome.errors.push_back(std::sqrt(off / size));
  }
  Metrics metrics;
  kernel->report(metrics);
  outcome.metrics = metrics.values;
  return outcome;
}

Params params_of(std::initializer_list<std::pair<const char*, std::int64_t>> values) {
  Params params;
  for (const auto& [name, value] : values) params.set(name, Value{value});
  return params;
}

TEST(TrainingStep, StaysWithinTheContractOfItsNumbers) {
  const Params whole =
      params_of({{"d", 32}, {"heads", 2}, {"layers", 2}, {"s", 16}, {"batch", 3}, {"vocabulary", 48}});
  const Params layer =
      params_of({{"d", 24}, {"heads", 3}, {"layers", 1}, {"s", 7}, {"batch", 2}, {"vocabulary", 0}});
  for (const std::string variant : {"f32", "f32_recomputed", "bf16_emulated", "fp8_emulated"})
    for (const Params& params : {whole, layer})
      for (const std::uint64_t seed : {1U, 2U}) {
        const Outcome outcome = run("training_step", variant, params, seed);
        ASSERT_EQ(outcome.errors.size(), 4U);
        for (const double error : outcome.errors) EXPECT_LE(error, outcome.tolerance) << variant;
        // A tenth of the gradient: what small numbers change most.
        EXPECT_GT(outcome.errors[1], variant.starts_with("f32") ? 0 : outcome.tolerance / 20) << variant;
      }
}

TEST(TrainingStep, RefusesWhatDoesNotFitAnH200WithTheFigure) {
  harness::sdk::Registry registry;
  register_workload_training_step(registry);
  const auto refusal = [&](std::int64_t batch) -> std::string {
    try {
      (void)registry.workloads.front()->problem(params_of({{"d", 4096},
                                                           {"heads", 32},
                                                           {"layers", 32},
                                                           {"s", 2048},
                                                           {"batch", batch},
                                                           {"vocabulary", 32000}}));
    } catch (const harness::sdk::Unsupported& reason) {
      return reason.what();
    }
    return {};
  };
  EXPECT_THAT(refusal(4), testing::HasSubstr("158 GB"));
  EXPECT_EQ(refusal(1), "");
}

const Params tiny = params_of(
    {{"d", 32}, {"heads", 2}, {"layers", 2}, {"s", 16}, {"batch", 4}, {"steps", 2}, {"train_steps", 60}});

TEST(Convergence, LearnsInAllNumbersAlike) {
  std::map<std::string, double> ends;
  for (const std::string variant : {"f32", "bf16_emulated", "fp8_emulated"}) {
    Outcome outcome = run("convergence", variant, tiny, 5);
    for (const double error : outcome.errors) EXPECT_LE(error, outcome.tolerance) << variant;
    EXPECT_LT(outcome.metrics["loss_end"], outcome.metrics["loss_tenth"] - 0.5) << variant;
    EXPECT_LT(outcome.metrics["held_out_loss"], std::log(96.0) - 0.5) << variant;
    ends[variant] = outcome.metrics["loss_end"];
  }
  EXPECT_NEAR(ends["bf16_emulated"], ends["f32"], 0.05);
  EXPECT_NEAR(ends["fp8_emulated"], ends["f32"], 0.2);
  EXPECT_NE(ends["fp8_emulated"], ends["f32"]);
}

// 300 steps, because error feedback delays small values: with 1 % by a hundred steps and more.
TEST(Convergence, LearnsFromCompressedGradients) {
  Params longer = tiny;
  longer.set("train_steps", Value{std::int64_t{300}});
  std::map<std::string, double> ends;
  for (const std::string variant : {"f32", "top_1", "top_10", "int8"}) {
    Outcome outcome = run("convergence", variant, longer, 5);
    for (const double error : outcome.errors) EXPECT_LE(error, outcome.tolerance) << variant;
    EXPECT_LT(outcome.metrics["held_out_loss"], std::log(96.0) - 1) << variant;
    ends[variant] = outcome.metrics["held_out_loss"];
  }
  EXPECT_NEAR(ends["int8"], ends["f32"], 0.02);
  EXPECT_NEAR(ends["top_10"], ends["f32"], 0.3);
  EXPECT_NEAR(ends["top_1"], ends["f32"], 0.6);
  EXPECT_NE(ends["int8"], ends["f32"]);
  EXPECT_NE(ends["top_10"], ends["top_1"]);
}

CharacterModel small_model() {
  const ModelShape shape{.d = 16, .heads = 2, .layers = 1, .sequence = 12, .vocabulary = symbols};
  return {shape, first_weights(shape, 4)};
}

TEST(CharacterModel, TakesAnotherAttention) {
  const CharacterModel model = small_model();
  const std::vector<std::int32_t> starts = held_out_starts(model.shape.sequence, 3);
  int calls = 0;
  // The same attention, and one that sees the token itself alone.
  const auto plain = [&](const AttentionHead<float>& head) {
    ++calls;
    for (std::int64_t i = 0; i < head.sequence; ++i) {
      std::vector<double> scores;
      double sum = 0;
      for (std::int64_t j = 0; j <= i; ++j) {
        double score = 0;
        for (std::int64_t c = 0; c < head.size; ++c)
          score += head.q[i * head.step + c] * head.k[j * head.step + c];
        scores.push_back(std::exp(score / std::sqrt(head.size)));
        sum += scores.back();
      }
      for (std::int64_t c = 0; c < head.size; ++c) {
        double out = 0;
        for (std::int64_t j = 0; j <= i; ++j)
          out += scores[static_cast<std::size_t>(j)] / sum * head.v[j * head.step + c];
        head.out[i * head.out_step + c] = static_cast<float>(out);
      }
    }
  };
  const auto own = [](const AttentionHead<float>& head) {
    for (std::int64_t i = 0; i < head.sequence; ++i)
      std::copy_n(head.v + i * head.step, head.size, head.out + i * head.out_step);
  };
  const double usual = loss_at(model, starts);
  EXPECT_NEAR(loss_at(model, starts, plain), usual, 1e-5);
  EXPECT_EQ(calls, 3 * 2);
  EXPECT_GT(std::fabs(loss_at(model, starts, own) - usual), 1e-4);
}

TEST(CharacterModel, TrainsOnChangedGradients) {
  const auto starts = training_starts(12, 2, 3, 8);
  CharacterModel usual = small_model(), same = usual, still = usual;
  int calls = 0;
  (void)train(usual, starts, 2);
  const std::vector<float> losses =
      train(same, starts, 2, Numbers::exact, [&](std::span<float>) { ++calls; });
  (void)train(still, starts, 2, Numbers::exact,
              [](std::span<float> gradient) { std::fill(gradient.begin(), gradient.end(), 0.0F); });
  EXPECT_EQ(calls, 3);
  EXPECT_EQ(losses.size(), 3U);
  EXPECT_EQ(same.weights, usual.weights);
  EXPECT_NE(still.weights, usual.weights);
}

TEST(Text, HasTheSymbolsOfTheModel) {
  EXPECT_EQ(text.size(), 382650U);
  for (const char character : text) {
    ASSERT_GE(symbol_of(character), 0);
    ASSERT_LT(symbol_of(character), symbols);
  }
  for (const std::int32_t start : held_out_starts(128, 32)) EXPECT_GE(start, training_characters());
  for (const std::int32_t start : training_starts(128, 32, 50, 1))
    EXPECT_LT(start + 128, training_characters());
}

}  // namespace
}  // namespace training
