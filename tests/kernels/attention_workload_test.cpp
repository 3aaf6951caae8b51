// The workload attention itself: parameters, work, tolerance, inputs and oracle.
#include <gmock/gmock.h>

#include <atomic>
#include <random>

#include "kernels/attention/oracle.h"
#include "tests/kernels/attention_case.h"

namespace {

using harness::sdk::HostTensor;
using harness::sdk::Unsupported;
using testing::DoubleNear;
using testing::ElementsAre;

TEST(AttentionWorkload, ItsParametersAreNamedInTheOrderOfItsIdentity) {
  harness::sdk::Registry registry;
  register_workload_attention(registry);
  std::vector<std::string> names;
  for (const auto& spec : registry.workloads.front()->params()) names.push_back(spec.name);
  EXPECT_THAT(names, ElementsAre("dtype", "b", "h", "s", "d", "causal"));
  const auto causal = registry.workloads.front()->params().back();
  ASSERT_EQ(causal.fallback.size(), 1U);
  EXPECT_EQ(harness::sdk::to_string(causal.fallback.front()), "false");
}

TEST(AttentionWorkload, WorkIsTwoProductsAndEveryTensorOnceAndItemsAreTokens) {
  const AttentionCase c(attention_params("f16", {2, 3, 5, 7}, false));
  EXPECT_EQ(c.problem.work.flops, 4.0 * 2 * 3 * 5 * 5 * 7);
  double bytes = 0;
  for (const auto& tensor : c.problem.tensors) bytes += static_cast<double>(tensor.bytes());
  EXPECT_EQ(c.problem.work.bytes, bytes);
  EXPECT_EQ(bytes, 4.0 * 2 * 3 * 5 * 7 * 2);
  EXPECT_EQ(c.problem.work.items, 2.0 * 5);
  EXPECT_EQ(c.problem.work.item_name, "tokens");
}

TEST(AttentionWorkload, CausalHalvesTheOperationsAndNothingElse) {
  const AttentionCase c(attention_params("bf16", {2, 3, 5, 7}, true));
  EXPECT_EQ(c.problem.work.flops, 2.0 * 2 * 3 * 5 * 5 * 7);
  EXPECT_EQ(c.problem.work.bytes, 4.0 * 2 * 3 * 5 * 7 * 2);
}

TEST(AttentionWorkload, TensorsAreAllBHSDInOrderQKVO) {
  const AttentionCase c(attention_params("bf16", {2, 3, 5, 7}, true));
  std::vector<std::string> names;
  for (const auto& tensor : c.problem.tensors) {
    names.push_back(tensor.name);
    EXPECT_THAT(tensor.shape, ElementsAre(2, 3, 5, 7));
    EXPECT_EQ(tensor.dtype, harness::sdk::DType::bf16);
    EXPECT_EQ(tensor.role == harness::sdk::Role::output, tensor.name == "o");
  }
  EXPECT_THAT(names, ElementsAre("q", "k", "v", "o"));
}

TEST(AttentionWorkload, ToleranceIsThatOfTheTypeAndWiderForVeryFewElements) {
  harness::sdk::Registry registry;
  register_workload_attention(registry);
  const auto tolerance = [&](const char* dtype, const AttentionExtents& extents) {
    return registry.workloads.front()->problem(attention_params(dtype, extents, false)).tolerance.relative;
  };
  EXPECT_DOUBLE_EQ(tolerance("f16", {1, 1, 32, 64}), 5e-4);
  EXPECT_DOUBLE_EQ(tolerance("bf16", {1, 1, 32, 64}), 4e-3);
  EXPECT_DOUBLE_EQ(tolerance("f16", {1, 1, 1, 1}), 12 * 5e-4);
}

TEST(AttentionWorkload, LongSequencesAreCheckedInFewElements) {
  harness::sdk::Registry registry;
  register_workload_attention(registry);
  const auto most_checked = [&](std::int64_t s) {
    return registry.workloads.front()->problem(attention_params("f16", {1, 1, s, 128}, false)).most_checked;
  };
  EXPECT_GE(most_checked(4096), 4096);
  EXPECT_EQ(most_checked(16384), 1024);
  EXPECT_EQ(most_checked(131072), 256);  // not fewer, or errors would not average out
}

TEST(AttentionWorkload, ATensorBeyondAnyMachineIsUnsupported) {
  harness::sdk::Registry registry;
  register_workload_attention(registry);
  EXPECT_THROW((void)registry.workloads.front()->problem(
                   attention_params("f16", {std::int64_t{1} << 40, 1, std::int64_t{1} << 40, 64}, false)),
               Unsupported);
}

TEST(AttentionWorkload, TheSameSeedFillsTheSameBytesAndAnotherSeedOthers) {
  const auto params = attention_params("f16", {2, 2, 33, 24}, false);
  AttentionCase first(params, 7);
  AttentionCase again(params, 7);
  AttentionCase other(params, 8);
  for (std::size_t i = 0; i < 3; ++i) {
    EXPECT_EQ(first.tensors[i].data, again.tensors[i].data) << i;
    EXPECT_NE(first.tensors[i].data, other.tensors[i].data) << i;
  }
  EXPECT_NE(first.tensors[0].data, first.tensors[1].data);
  EXPECT_NE(first.tensors[1].data, first.tensors[2].data);
}

// More elements than one thread's share, so that several fill it.
TEST(AttentionWorkload, FillLeavesNoElementOutAndBeginsAsASmallOneDoes) {
  AttentionCase small(attention_params("bf16", {1, 1, 16, 64}, false), 5);
  AttentionCase large(attention_params("bf16", {1, 2, 10'000, 64}, false), 5);
  EXPECT_TRUE(
      std::equal(small.tensors[0].data.begin(), small.tensors[0].data.end(), large.tensors[0].data.begin()));
  const HostTensor& q = large.tensors[0];
  double squares = 0;
  for (std::int64_t i = 0; i < q.spec.elements(); ++i) {
    ASSERT_NE(q.at(i), 0.0) << i;
    squares += q.at(i) * q.at(i);
  }
  EXPECT_NEAR(squares / static_cast<double>(q.spec.elements()), 1.0, 0.01);
}

TEST(AttentionWorkload, ScoresHaveVarianceOneWhateverTheHeadSize) {
  for (const std::int64_t d : {8, 64, 128}) {
    AttentionCase c(attention_params("f16", {1, 1, 64, d}, false));
    double squares = 0;
    for (std::int64_t i = 0; i < 64; ++i)
      for (std::int64_t j = 0; j < 64; ++j) {
        double score = 0;
        for (std::int64_t p = 0; p < d; ++p) score += c.tensors[0].at(i * d + p) * c.tensors[1].at(j * d + p);
        squares += score * score / static_cast<double>(d);
      }
    EXPECT_THAT(squares / 4096, DoubleNear(1.0, 0.35)) << d;
  }
}

// The definition, written once more in the order in which one would say it.
std::vector<double> by_definition(AttentionCase& c, const AttentionExtents& e, bool causal) {
  std::vector<double> out(static_cast<std::size_t>(e.b * e.h * e.s * e.d));
  for (std::int64_t matrix = 0; matrix < e.b * e.h; ++matrix)
    for (std::int64_t i = 0; i < e.s; ++i) {
      std::vector<double> weights;
      double total = 0;
      for (std::int64_t j = 0; j < (causal ? i + 1 : e.s); ++j) {
        double score = 0;
        for (std::int64_t p = 0; p < e.d; ++p)
          score +=
              c.tensors[0].at((matrix * e.s + i) * e.d + p) * c.tensors[1].at((matrix * e.s + j) * e.d + p);
        weights.push_back(std::exp(score / std::sqrt(static_cast<double>(e.d))));
        total += weights.back();
      }
      for (std::int64_t p = 0; p < e.d; ++p)
        for (std::size_t j = 0; j < weights.size(); ++j)
          out[static_cast<std::size_t>((matrix * e.s + i) * e.d + p)] +=
              weights[j] / total * c.tensors[2].at((matrix * e.s + static_cast<std::int64_t>(j)) * e.d + p);
    }
  return out;
}

TEST(AttentionWorkload, TheOracleIsTheDefinition) {
  for (const bool causal : {false, true})
    for (const AttentionExtents& extents :
         {AttentionExtents{1, 1, 1, 1}, {2, 3, 19, 5}, {1, 2, 65, 8}, {1, 1, 600, 4}}) {
      AttentionCase c(attention_params("bf16", extents, causal), 3);
      const std::vector<double> right = by_definition(c, extents, causal);
      const std::vector<double> got = c.expected();
      for (std::size_t i = 0; i < right.size(); ++i)
        ASSERT_NEAR(got[i], right[i], 1e-12) << c.params.text_id() << " element " << i;
    }
}

// Also out of order and twice, which nobody asks for today.
TEST(AttentionWorkload, TheOracleAnswersForSampledElementsAsForAll) {
  AttentionCase c(attention_params("f16", {2, 2, 70, 16}, true), 3);
  const std::vector<double> all = c.expected();
  std::mt19937 random(1);
  std::vector<std::int64_t> wanted;
  for (int i = 0; i < 200; ++i)
    wanted.push_back(static_cast<std::int64_t>(random() % static_cast<unsigned>(c.output().spec.elements())));
  for (int column = 0; column < 16; ++column) wanted.push_back(30 * 16 + column);  // a whole row,
  wanted.push_back(31 * 16 + 5);                                                   // and one beside it
  wanted.push_back(wanted.front());
  std::vector<double> answers(wanted.size());
  c.workload().reference(c.params, c.inputs(), 0, wanted, answers);
  for (std::size_t i = 0; i < wanted.size(); ++i)  // rows of values may be summed by fused multiply-adds
    EXPECT_NEAR(answers[i], all[static_cast<std::size_t>(wanted[i])], 1e-14);
}

// Sees every third block of keys.
struct ThirdBlocks {
  [[nodiscard]] attention::KeyRange keys(std::int64_t, std::int64_t) const { return {0, 700}; }
  void adjust(std::int64_t, std::int64_t, const attention::KeyRange&, double* scores) const {
    for (std::int64_t key = 0; key < 700; ++key)
      if (key / attention::oracle_block % 3 != 1) scores[key] = -std::numeric_limits<double>::infinity();
  }
};
struct ThirdBlocksThatTell : ThirdBlocks {
  [[nodiscard]] bool hides(std::int64_t, std::int64_t, std::int64_t key) const {
    asked = true;
    return key / attention::oracle_block % 3 != 1;
  }
  static inline std::atomic<bool> asked = false;
};

TEST(AttentionWorkload, TheOracleAnswersTheSameWithoutTheScoresOfHiddenBlocks) {
  AttentionCase c(attention_params("f16", {1, 2, 700, 10}, false), 3);
  std::vector<std::int64_t> wanted(static_cast<std::size_t>(c.output().spec.elements()));
  std::iota(wanted.begin(), wanted.end(), std::int64_t{0});
  std::vector<double> all(wanted.size()), few(wanted.size());
  attention::answer_oracle({700, 10}, c.inputs(), wanted, all, [] { return ThirdBlocks(); });
  attention::answer_oracle({700, 10}, c.inputs(), wanted, few, [] { return ThirdBlocksThatTell(); });
  EXPECT_EQ(few, all);
  EXPECT_TRUE(ThirdBlocksThatTell::asked);
}

TEST(AttentionWorkload, TheOracleStaysFiniteWhereExponentialsWouldNot) {
  AttentionCase c(attention_params("f16", {1, 1, 40, 16}, false), 3);
  c.scale_queries(2000);
  for (const double value : c.expected()) EXPECT_TRUE(std::isfinite(value));
}

TEST(AttentionWorkload, ASecondOutputIsAnError) {
  AttentionCase c(attention_params("f16", {1, 1, 4, 4}, false));
  std::vector<std::int64_t> wanted = {0};
  std::vector<double> answers(1);
  EXPECT_THROW(c.workload().reference(c.params, c.inputs(), 1, wanted, answers), std::out_of_range);
}

}  // namespace
