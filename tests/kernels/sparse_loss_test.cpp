// sparse_loss: the blocks that causal patterns keep, a model's attention with them against its definition in
// double, and the losses of a model that is trained and then sees fewer blocks.
#include <gmock/gmock.h>

#include <cmath>
#include <map>
#include <numeric>
#include <random>

#include "kernels/training/replicas.h"
#include "kernels/training/sparse_loss/study.h"
#include "tests/kernels/relative_error.h"
#include "tests/kernels/sparse_attention_case.h"

void register_workload_sparse_loss(harness::sdk::Registry&);
void register_variant_sparse_loss_f32(harness::sdk::Registry&);

namespace training {
namespace {

using harness::sdk::HostTensor;
using harness::sdk::Params;
using harness::sdk::Unsupported;
using harness::sdk::Value;
using sparse_attention::CausalBlocks;
using testing::ElementsAre;
using testing::HasSubstr;

using Seen = std::vector<std::uint8_t>;

// The kept blocks of a row.
std::vector<int> row_of(const CausalBlocks& blocks, const Seen& seen, std::int64_t row) {
  std::vector<int> kept;
  for (std::int64_t key = 0; key < blocks.blocks(); ++key)
    if (seen[static_cast<std::size_t>(row * blocks.blocks() + key)] == 1)
      kept.push_back(static_cast<int>(key));
  return kept;
}

Seen fixed(const CausalBlocks& blocks, bool strided) {
  Seen seen(static_cast<std::size_t>(blocks.list_bytes()), 7);
  blocks.see_fixed(strided, seen.data());
  return seen;
}

TEST(CausalBlocks, LeaveOutWhatTheSparsitySays) {
  for (const std::int64_t block : {1, 2, 4})
    for (const std::int64_t sparsity : studied_sparsities) {
      const CausalBlocks blocks(32 * block - block / 2, block, sparsity);
      EXPECT_EQ(blocks.blocks(), 32);
      EXPECT_NEAR(blocks.left_out(), static_cast<double>(sparsity), 0.1);
      for (const bool strided : {false, true}) {
        const Seen seen = fixed(blocks, strided);
        std::int64_t kept = 0;
        for (std::int64_t row = 0; row < 32; ++row) {
          const std::vector<int> of_row = row_of(blocks, seen, row);
          EXPECT_EQ(std::ssize(of_row), blocks.kept(row));
          ASSERT_FALSE(of_row.empty());
          EXPECT_EQ(of_row.back(), row) << "its own block, and none after it";
          kept += std::ssize(of_row);
        }
        EXPECT_NEAR(100 - 100 * static_cast<double>(kept) / (32 * 33 / 2), blocks.left_out(), 1e-9);
      }
    }
}

TEST(CausalBlocks, AreRefusedWhereNoneMakeTheSparsity) {
  const auto refusal = [](std::int64_t sequence, std::int64_t block, std::int64_t sparsity) -> std::string {
    try {
      (void)CausalBlocks(sequence, block, sparsity);
    } catch (const Unsupported& reason) {
      return reason.what();
    }
    return {};
  };
  EXPECT_THAT(refusal(128, 8, 90), HasSubstr("16 blocks of 8 tokens leaves out 88 %"));
  EXPECT_THAT(refusal(128, 128, 50), HasSubstr("leaves out 0 %"));
  EXPECT_EQ(refusal(128, 8, 75), "");
  EXPECT_EQ(refusal(128, 4, 90), "");
}

TEST(CausalBlocks, AreNeighboursOrSpread) {
  const CausalBlocks blocks(64, 4, 50);
  EXPECT_EQ(blocks.kept(15), 8);
  EXPECT_THAT(row_of(blocks, fixed(blocks, false), 15), ElementsAre(8, 9, 10, 11, 12, 13, 14, 15));
  EXPECT_THAT(row_of(blocks, fixed(blocks, true), 15), ElementsAre(1, 4, 7, 10, 12, 13, 14, 15));
}

// Means of the blocks, multiplied in float.
TEST(CausalBlocks, OfThresholdHaveTheLargestProductsOfMeans) {
  constexpr std::int64_t s = 62, d = 8, block = 2;
  const CausalBlocks blocks(s, block, 75);
  std::mt19937 random(4);
  std::uniform_real_distribution<float> uniform(-2, 2);
  std::vector<std::uint16_t> q, k;
  for (int i = 0; i < s * d; ++i) {
    q.push_back(harness::sdk::f16_from_float(uniform(random)));
    k.push_back(harness::sdk::f16_from_float(uniform(random)));
  }
  Seen seen(static_cast<std::size_t>(blocks.list_bytes()), 7);
  blocks.see_largest_products(q.data(), k.data(), d, seen.data());
  const auto mean = [](const std::vector<std::uint16_t>& from, std::int64_t number, std::int64_t c) {
    float sum = 0;
    for (std::int64_t t = number * block; t < (number + 1) * block; ++t)
      sum += harness::sdk::float_from_f16(from[static_cast<std::size_t>(t * d + c)]);
    return sum / block;
  };
  for (std::int64_t row = 1; row < blocks.blocks(); ++row) {
    float least_kept = INFINITY, most_left = -INFINITY;
    for (std::int64_t key = 0; key < row; ++key) {
      float product = 0;
      for (std::int64_t c = 0; c < d; ++c) product += mean(q, row, c) * mean(k, key, c);
      const bool kept = seen[static_cast<std::size_t>(row * blocks.blocks() + key)] == 1;
      (kept ? least_kept : most_left) = kept ? std::min(least_kept, product) : std::max(most_left, product);
    }
    const std::vector<int> kept = row_of(blocks, seen, row);
    EXPECT_EQ(std::ssize(kept), blocks.kept(row));
    EXPECT_EQ(kept.back(), row);
    EXPECT_GT(least_kept, most_left - 0.3F) << "more than codes of 8 bits round";
  }
}

// The definition, with a mask as a predicate of sequence and head, query and key.
using Sees = std::function<bool(std::int64_t matrix, std::int64_t query, std::int64_t key)>;
void attend_by(const AttentionHead<double>& head, std::int64_t matrix, const Sees& sees) {
  for (std::int64_t i = 0; i < head.sequence; ++i) {
    double sum = 0;
    std::vector<double> out(static_cast<std::size_t>(head.size));
    for (std::int64_t j = 0; j <= i; ++j) {
      if (!sees(matrix, i, j)) continue;
      double score = 0;
      for (std::int64_t c = 0; c < head.size; ++c)
        score += head.q[i * head.step + c] * head.k[j * head.step + c];
      const double weight = std::exp(score / std::sqrt(static_cast<double>(head.size)));
      sum += weight;
      for (std::int64_t c = 0; c < head.size; ++c)
        out[static_cast<std::size_t>(c)] += weight * head.v[j * head.step + c];
    }
    for (std::int64_t c = 0; c < head.size; ++c)
      head.out[i * head.out_step + c] = out[static_cast<std::size_t>(c)] / sum;
  }
}

struct MaskedModel {
  static constexpr ModelShape shape{.d = 16, .heads = 2, .layers = 2, .sequence = 30, .vocabulary = 24};
  static constexpr std::int64_t batch = 3;
  MaskedModel() : model(shape, batch) {
    const std::vector<float> first = first_weights(shape, 2);
    weights.assign(first.begin(), first.end());
    std::mt19937 random(3);
    for (std::int64_t i = 0; i < batch * (shape.sequence + 1); ++i)
      tokens.push_back(static_cast<std::int32_t>(random() % 24));
  }
  double loss() { return model.loss(weights, {.size = batch, .tokens = tokens}); }
  // By the definition. Heads come in their order, layer by layer.
  double loss_by(const std::function<bool(std::int64_t layer, std::int64_t matrix, std::int64_t query,
                                          std::int64_t key)>& sees) {
    std::int64_t calls = 0;
    return model.loss(weights, {.size = batch, .tokens = tokens}, [&](const AttentionHead<double>& head) {
      const std::int64_t layer = calls / (batch * shape.heads), matrix = calls++ % (batch * shape.heads);
      attend_by(head, matrix,
                [&](std::int64_t of, std::int64_t i, std::int64_t j) { return sees(layer, of, i, j); });
    });
  }
  CpuModel<double> model;
  std::vector<double> weights;
  std::vector<std::int32_t> tokens;
};

TEST(ModelMask, IsItsDefinitionInEachLayerAndHead) {
  MaskedModel one;
  const double dense = one.loss();
  const CausalBlocks blocks(one.shape.sequence, 2, 50);
  HostMask mask = random_mask(one.shape, blocks, 5);
  one.model.restrict_attention(mask.view());
  const double masked = one.loss();
  const auto right = [&](std::int64_t layer, std::int64_t matrix, std::int64_t i, std::int64_t j) {
    return mask.list(layer, matrix % one.shape.heads)[i / 2 * blocks.blocks() + j / 2] == 1;
  };
  EXPECT_NEAR(masked, one.loss_by(right), 1e-12);
  // Not applied, a block late, in the order of keys, of the other head, of the other layer.
  EXPECT_GT(std::fabs(masked - dense), 1e-4);
  const auto wrong = [&](const auto& sees) { return std::fabs(masked - one.loss_by(sees)); };
  EXPECT_GT(wrong([&](auto layer, auto matrix, auto i, auto j) {
              return right(layer, matrix, std::max<std::int64_t>(i - 2, 0), j) || i / 2 == j / 2;
            }),
            1e-4);
  EXPECT_GT(wrong([&](auto layer, auto matrix, auto i, auto j) { return right(layer, matrix + 1, i, j); }),
            1e-4);
  EXPECT_GT(wrong([&](auto layer, auto matrix, auto i, auto j) { return right(1 - layer, matrix, i, j); }),
            1e-4);
}

TEST(ModelMask, HasTheGradientOfFiniteDifferences) {
  MaskedModel one;
  const HostMask mask = random_mask(one.shape, {one.shape.sequence, 2, 75}, 6);
  one.model.restrict_attention(mask.view());
  std::vector<double> gradient(one.weights.size());
  (void)one.model.gradient(one.weights, {.size = one.batch, .tokens = one.tokens}, gradient);
  const Layout layout(one.shape);
  constexpr double reach = 1e-5;
  for (std::int64_t i = 0; i < 60; ++i) {  // of queries, keys and values of the first layer
    const auto at = static_cast<std::size_t>(layout.layer(0) + layout.qkv() + i * 12);
    const double weight = one.weights[at];
    one.weights[at] = weight + reach;
    const double above = one.loss();
    one.weights[at] = weight - reach;
    const double slope = (above - one.loss()) / (2 * reach);
    one.weights[at] = weight;
    EXPECT_NEAR(slope, gradient[at], 1e-6 + 1e-4 * std::fabs(slope)) << i;
  }
}

// The choice of each sequence, layer and head, made again by the definition from what the model gives.
TEST(ModelMask, OfThresholdIsChosenByTheQueriesAndKeysOfItsLayer) {
  MaskedModel one;
  const double dense = one.loss();
  const CausalBlocks blocks(one.shape.sequence, 2, 75);
  HostMask mask(one.shape, blocks, one.batch * one.shape.heads);
  one.model.restrict_attention(mask.view(), choosing_observer(one.shape, blocks, mask));
  const double masked = one.loss();
  EXPECT_GT(std::fabs(masked - dense), 1e-4);
  one.model.restrict_attention({});
  std::int64_t calls = 0;
  const auto choosing = [&](const AttentionHead<double>& head) {
    std::vector<std::uint16_t> q, k;
    for (std::int64_t t = 0; t < head.sequence; ++t)
      for (std::int64_t c = 0; c < head.size; ++c) {
        q.push_back(harness::sdk::f16_from_float(static_cast<float>(head.q[t * head.step + c])));
        k.push_back(harness::sdk::f16_from_float(static_cast<float>(head.k[t * head.step + c])));
      }
    Seen seen(static_cast<std::size_t>(blocks.list_bytes()));
    blocks.see_largest_products(q.data(), k.data(), head.size, seen.data());
    const std::int64_t layer = calls / mask.lists, matrix = calls++ % mask.lists;
    EXPECT_TRUE(std::equal(seen.begin(), seen.end(), mask.list(layer, matrix)));
    attend_by(head, 0, [&](std::int64_t, std::int64_t i, std::int64_t j) {
      return seen[static_cast<std::size_t>(i / 2 * blocks.blocks() + j / 2)] == 1;
    });
  };
  EXPECT_NEAR(one.model.loss(one.weights, {.size = one.batch, .tokens = one.tokens}, choosing), masked,
              1e-12);
}

// Each query of head 0 sees the token 8 before its own, of head 1 the first one.
TEST(BlockWeights, KeepTheBlocksThatAttentionSees) {
  const ModelShape shape{.d = 64, .heads = 2, .layers = 2, .sequence = 32, .vocabulary = 24};
  std::vector<std::uint16_t> q(2 * 32 * 32), k(q.size());
  for (std::int64_t head = 0; head < 2; ++head)
    for (std::int64_t t = 0; t < 32; ++t) {
      const auto row = static_cast<std::size_t>((head * 32 + t) * 32);
      k[row + static_cast<std::size_t>(t)] = harness::sdk::f16_from_float(1);
      q[row + static_cast<std::size_t>(head == 0 ? std::max<std::int64_t>(t - 8, 0) : 0)] =
          harness::sdk::f16_from_float(60);
    }
  BlockWeights weights(shape, 1);
  weights.add(1, 1, q.data(), k.data());
  const CausalBlocks blocks(32, 1, 90);
  HostMask mask = weights.mask(blocks);
  const auto kept = [&](std::int64_t head, std::int64_t row) {
    const Seen seen(mask.list(1, head), mask.list(1, head) + blocks.list_bytes());
    return row_of(blocks, seen, row);
  };
  ASSERT_GE(blocks.kept(30), 2);
  EXPECT_THAT(kept(0, 30), testing::Contains(22));
  EXPECT_THAT(kept(1, 30), testing::Contains(0));
  EXPECT_THAT(kept(1, 30), testing::Contains(30));
}

TEST(HeldOutScore, IsTheMeanOverTokens) {
  std::vector<float> logits(static_cast<std::size_t>(2 * symbols));
  logits[5] = 3;                                      // of the first token, which 5 follows
  logits[static_cast<std::size_t>(symbols) + 7] = 2;  // of the second one, which 8 follows
  const std::vector<std::int32_t> tokens{4, 5, 8};
  const HeldOutScore score = score_of(logits, tokens, 2);
  EXPECT_DOUBLE_EQ(score.accuracy, 50);
  EXPECT_NEAR(score.loss, (std::log(95 + std::exp(3)) - 3 + std::log(95 + std::exp(2))) / 2, 1e-6);
}

class FilledSparseLoss {
 public:
  explicit FilledSparseLoss(const char* pattern, const char* trained = "dense", std::int64_t train_steps = 3)
      : params({{"d", Value{std::int64_t{32}}},
                {"heads", Value{std::int64_t{2}}},
                {"layers", Value{std::int64_t{2}}},
                {"s", Value{std::int64_t{32}}},
                {"batch", Value{std::int64_t{4}}},
                {"train_steps", Value{train_steps}},
                {"held_out_batches", Value{std::int64_t{2}}},
                {"block", Value{std::int64_t{1}}},
                {"pattern", Value{std::string(pattern)}},
                {"trained", Value{std::string(trained)}}}) {
    register_workload_sparse_loss(registry);
    register_variant_sparse_loss_f32(registry);
    for (const auto& spec : workload().problem(params).tensors) tensors.emplace_back(spec);
    workload().fill(params, 8, inputs());
  }
  [[nodiscard]] const harness::sdk::Workload& workload() const { return *registry.workloads.front(); }
  [[nodiscard]] std::span<HostTensor> inputs() { return std::span(tensors).first(logits_index); }

  std::unique_ptr<harness::sdk::Kernel> bound() {
    auto kernel = registry.variants.front().make(params, workload().problem(params), {});
    std::vector<void*> addresses;
    for (HostTensor& tensor : tensors) addresses.push_back(tensor.data.data());
    kernel->bind({addresses, nullptr});
    return kernel;
  }
  // The error of a call, against the right values of masks that `change` changed after it.
  double error(const std::function<void(HostTensor&)>& change = {}) {
    std::fill(tensors[logits_index].data.begin(), tensors[logits_index].data.end(), std::byte{0xFF});
    bound()->run({});
    if (change) change(tensors[masks_index]);
    return relative_error(workload(), params, inputs(), tensors[logits_index]);
  }
  std::map<std::string, double> metrics() {
    ReportedMetrics sink;
    bound()->report(sink);
    return sink.values;
  }

  harness::sdk::Registry registry;
  Params params;
  std::vector<HostTensor> tensors;
};

TEST(SparseLoss, OfACallIsRight) {
  for (const char* const pattern : {"banded", "strided", "threshold", "learned"}) {
    FilledSparseLoss one(pattern);
    EXPECT_LE(one.error(), one.workload().problem(one.params).tolerance.relative) << pattern;
  }
}

TEST(SparseLoss, OfSomeSequencesIsThatOfAll) {
  FilledSparseLoss whole("learned"), parts("learned");
  const std::int64_t of_sequence = 32 * symbols, sequences = 4;
  const auto reference = [](FilledSparseLoss& one, const std::vector<std::int64_t>& wanted) {
    std::vector<double> expected(wanted.size());
    one.workload().reference(one.params, one.inputs(), 0, wanted, expected);
    return expected;
  };
  std::vector<std::int64_t> all(static_cast<std::size_t>(studied_passes * sequences * of_sequence));
  std::iota(all.begin(), all.end(), 0);
  const std::vector<double> expected = reference(whole, all);
  const std::vector<std::int64_t> some{7, 3 * of_sequence + 1, 5 * of_sequence, 15 * of_sequence + 96 * 31};
  for (int call = 0; call < 2; ++call) {
    const std::vector<double> of_some = reference(parts, some);
    for (std::size_t i = 0; i < some.size(); ++i)
      EXPECT_NEAR(of_some[i], expected[static_cast<std::size_t>(some[i])], 1e-12) << some[i];
  }
  EXPECT_EQ(reference(parts, all).size(), all.size()) << "the others are made when they are wanted";
}

TEST(SparseLoss, OfACallWithOtherMasksIsWrong) {
  FilledSparseLoss one("learned");
  const double allowed = one.workload().problem(one.params).tolerance.relative;
  EXPECT_GT(one.error([](HostTensor& masks) {  // all blocks are seen
    std::fill(masks.data.begin(), masks.data.end(), std::byte{1});
  }),
            5 * allowed);
  one.workload().fill(one.params, 8, one.inputs());
  EXPECT_GT(one.error([](HostTensor& masks) {  // the sparsities change places
    std::rotate(masks.data.begin(), masks.data.begin() + std::ssize(masks.data) / 3, masks.data.end());
  }),
            5 * allowed);
}

TEST(SparseLoss, RefusesWhatCannotBe) {
  EXPECT_THROW(FilledSparseLoss("threshold", "sparse"), Unsupported);
  FilledSparseLoss one("banded");
  one.params.set("block", Value{std::int64_t{2}});
  EXPECT_THROW((void)one.workload().problem(one.params), Unsupported);
}

TEST(SparseLoss, IsToldForEachSparsity) {
  for (const char* const pattern : {"banded", "strided", "threshold", "learned"}) {
    std::map<std::string, double> metrics = FilledSparseLoss(pattern, "dense", 150).metrics();
    EXPECT_EQ(metrics.size(), 8U);
    EXPECT_LT(metrics["held_out_loss"], 3.5) << pattern;
    EXPECT_GT(metrics["accuracy"], 15) << pattern;
    double before = metrics["held_out_loss"];
    for (const char* const number : {"50", "75", "90"}) {
      const double loss = metrics[std::string("loss_") + number];
      EXPECT_GT(loss, before) << pattern << ' ' << number;
      before = loss;
      EXPECT_NEAR(metrics[std::string("accuracy_kept_") + number], 100, 10);
    }
  }
}

TEST(SparseLoss, OfAModelThatIsTrainedWithItsBlocksIsAnother) {
  std::map<std::string, double> dense = FilledSparseLoss("banded", "dense", 60).metrics();
  std::map<std::string, double> sparse = FilledSparseLoss("banded", "sparse", 60).metrics();
  EXPECT_EQ(dense["held_out_loss"], sparse["held_out_loss"]);
  EXPECT_NE(dense["loss_90"], sparse["loss_90"]);
}

}  // namespace
}  // namespace training
