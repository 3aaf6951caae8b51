// sparse_attention: patterns keep as many blocks as their sparsity says, and the CPU variants agree with the
// oracle on tails. The distance to dense attention is what the data make it.
#include <gmock/gmock.h>

#include <numeric>
#include <set>

#include "tests/kernels/sparse_attention_case.h"

namespace sparse_attention {
namespace {

using testing::ElementsAre;

constexpr std::size_t plain = 0, threads_blocks = 1;
constexpr const char* patterns[] = {"banded", "strided", "threshold", "learned"};

std::map<std::string, double> reported(FilledSparseAttention& one) {
  ReportedMetrics sink;
  one.workload().report(one.params, one.inputs, std::span(&one.output(), 1), sink);
  return sink.values;
}

TEST(SparseAttention, OfBothVariantsAgreesWithTheOracleOnTails) {
  const SparseAttentionCase cases[] = {{.s = 1},
                                       {.s = 300, .d = 128},
                                       {.pattern = "banded", .sparsity = 50, .s = 700, .h = 2},
                                       {.pattern = "strided", .sparsity = 50, .s = 900, .d = 24},
                                       {.pattern = "threshold", .sparsity = 75, .s = 1000, .b = 2, .h = 2},
                                       {.pattern = "learned", .sparsity = 90, .s = 513, .h = 2},
                                       {.pattern = "threshold", .sparsity = 99, .s = 129}};
  for (const SparseAttentionCase& one : cases) {
    FilledSparseAttention filled(one);
    SCOPED_TRACE(filled.params.text_id());
    EXPECT_LE(filled.run(plain), filled.problem.tolerance.relative);
    EXPECT_LE(filled.run(threads_blocks), filled.problem.tolerance.relative);
  }
}

// Fresh seeds, where other blocks are chosen.
TEST(SparseAttention, ChoosesAnewInEachCall) {
  std::set<std::vector<std::int32_t>> chosen;
  for (const std::uint64_t seed : {1, 2, 3}) {
    FilledSparseAttention one({.pattern = "threshold", .sparsity = 75, .s = 1100}, seed);
    EXPECT_LE(one.run(threads_blocks), one.problem.tolerance.relative);
    chosen.insert(one.kept());
  }
  EXPECT_EQ(chosen.size(), 3U);
}

TEST(SparseAttention, KeepsAsManyBlocksAsItsSparsitySays) {
  for (const char* const pattern : patterns)
    for (const std::int64_t sparsity : {50, 75, 90}) {
      FilledSparseAttention one({.pattern = pattern, .sparsity = sparsity, .s = 20 * block, .d = 8, .h = 2});
      SCOPED_TRACE(one.params.text_id());
      const std::int64_t count = one.shape.kept();
      EXPECT_EQ(count, (100 - sparsity) / 5);
      const std::vector<std::int32_t> kept = one.kept();
      ASSERT_EQ(std::ssize(kept), one.shape.lists() * 20 * count);
      for (auto row = kept.begin(); row != kept.end(); row += count) {
        EXPECT_TRUE(std::is_sorted(row, row + count));
        EXPECT_EQ(std::set<std::int32_t>(row, row + count).size(), static_cast<std::size_t>(count));
        EXPECT_TRUE(*row >= 0 && row[count - 1] < 20);
      }
    }
}

TEST(SparseAttention, HasFixedPatterns) {
  const auto row = [](const char* pattern, std::int64_t number) {
    FilledSparseAttention one({.pattern = pattern, .sparsity = 60, .s = 10 * block, .d = 8});
    const std::vector<std::int32_t> kept = one.kept();
    return std::vector<std::int32_t>(kept.begin() + number * 4, kept.begin() + (number + 1) * 4);
  };
  EXPECT_THAT(row("banded", 0), ElementsAre(0, 1, 2, 3));
  EXPECT_THAT(row("banded", 5), ElementsAre(3, 4, 5, 6));
  EXPECT_THAT(row("banded", 9), ElementsAre(6, 7, 8, 9));
  EXPECT_THAT(row("strided", 0), ElementsAre(0, 1, 4, 8));
  EXPECT_THAT(row("strided", 5), ElementsAre(2, 4, 5, 8));
}

// Equal scores: the earlier block. A mean of zeros has products of 0 with all.
TEST(SparseAttention, ChoosesTheEarlierOfEqualBlocks) {
  FilledSparseAttention one({.pattern = "threshold", .sparsity = 50, .s = 4 * block, .d = 8});
  std::fill(one.inputs[0].data.begin(), one.inputs[0].data.end(), std::byte{0});
  EXPECT_THAT(one.kept(), ElementsAre(0, 1, 0, 1, 0, 1, 0, 1));
}

// The scores of pooled tokens find the blocks of the same topic, which a band misses.
TEST(SparseAttention, TellsHowFarAPatternIsFromDenseAttention) {
  const auto error = [](const char* pattern, std::int64_t sparsity) {
    FilledSparseAttention one({.pattern = pattern, .sparsity = sparsity, .s = 32 * block, .d = 64});
    (void)one.run(threads_blocks);
    return reported(one).at("dense_error");
  };
  EXPECT_LT(error("dense", 0), 0.05) << "rounding alone, in percent";
  const double by_threshold = error("threshold", 75);
  EXPECT_LT(by_threshold, 3);
  EXPECT_GT(by_threshold, 0.01);
  EXPECT_LT(error("learned", 75), 3);
  EXPECT_GT(error("banded", 90), 10 * by_threshold);
}

TEST(SparseAttention, CountsExecutedAndDenseOperations) {
  FilledSparseAttention one({.pattern = "banded", .sparsity = 75, .s = 8 * block, .d = 64, .b = 2, .h = 3});
  (void)one.run(threads_blocks);
  const std::map<std::string, double> metrics = reported(one);
  EXPECT_DOUBLE_EQ(metrics.at("dense_work"), 4e-9 * 6 * 1024 * 1024 * 64);
  EXPECT_DOUBLE_EQ(metrics.at("executed_work"), metrics.at("dense_work") / 4);
  EXPECT_DOUBLE_EQ(one.problem.work.flops, 1e9 * metrics.at("executed_work"));
  EXPECT_EQ(one.problem.work.bytes, 4.0 * 2 * 6 * 1024 * 64);
}

TEST(SparseAttention, RefusesWhatContradictsItself) {
  EXPECT_THROW(FilledSparseAttention({.sparsity = 50, .s = 256}), std::invalid_argument);
  EXPECT_THROW(FilledSparseAttention({.pattern = "banded", .sparsity = 100, .s = 256}),
               std::invalid_argument);
}

}  // namespace
}  // namespace sparse_attention
