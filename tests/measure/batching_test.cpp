#include "harness/measure/rules/batching.h"

#include <gmock/gmock.h>

#include <cmath>

#include "harness/measure/tensors/input_sets.h"

namespace harness {
namespace {

using testing::DoubleNear;
using testing::ElementsAre;

TEST(ChooseBatchNodes, TakesAtMostAThirdOfAMillisecond) {
  EXPECT_THAT(choose_batch_nodes(0.5e-6, most_batch_nodes), ElementsAre(100, 200, 400));
  EXPECT_THAT(choose_batch_nodes(1e-6, most_batch_nodes), ElementsAre(60, 120, 240));
  EXPECT_THAT(choose_batch_nodes(3.2e-6, most_batch_nodes), ElementsAre(15, 30, 60));
  EXPECT_THAT(choose_batch_nodes(18e-6, most_batch_nodes), ElementsAre(4, 8, 16));
}

TEST(ChooseBatchNodes, IsNeverBelowEightCallsOrAboveWhatThereIs) {
  EXPECT_THAT(choose_batch_nodes(1, most_batch_nodes), ElementsAre(2, 4, 8));
  EXPECT_THAT(choose_batch_nodes(0, most_batch_nodes), ElementsAre(100, 200, 400));
  EXPECT_THAT(choose_batch_nodes(0.5e-6, most_input_sets), ElementsAre(60, 120, 240));
}

TEST(TimeOfCall, IsTheSlopeWhateverABatchCosts) {
  const std::vector<int> nodes{100, 400};
  EXPECT_THAT(*time_of_call(nodes, std::vector<Seconds>{315e-6, 1254e-6}), DoubleNear(3.13e-6, 1e-15));
  EXPECT_FALSE(time_of_call(nodes, std::vector<Seconds>{9e-3, 1e-3})) << "an interruption of the shorter";
  EXPECT_FALSE(time_of_call(nodes, std::vector<Seconds>{1e-3, 1e-3}));
}

TEST(BatchMeans, TellTheLineThroughTheMeansOfAllSamples) {
  BatchMeans means;
  EXPECT_FALSE(means.summary());
  const std::vector<int> nodes{100, 200, 400};
  means.add(nodes, std::vector<Seconds>{302e-6, 600e-6, 1204e-6});
  means.add(nodes, std::vector<Seconds>{304e-6, 606e-6, 1202e-6});
  const auto summary = means.summary();
  ASSERT_TRUE(summary);
  EXPECT_THAT(summary->calls, ElementsAre(100, 200, 400));
  EXPECT_THAT(summary->intercept, DoubleNear(3, 1e-9));
  EXPECT_THAT(summary->off_line, DoubleNear(0, 1e-9));
}

TEST(BatchMeans, TellABendInTheLine) {
  BatchMeans means;
  means.add(std::vector<int>{100, 200, 400}, std::vector<Seconds>{300e-6, 600e-6, 2000e-6});
  EXPECT_GT(means.summary()->off_line, most_off_line);
}

TEST(BatchMeans, TellANumberWhereTheLineGivesABatchNoTime) {
  BatchMeans means;
  means.add(std::vector<int>{100, 200, 400}, std::vector<Seconds>{1e-6, 1e-6, 4000e-6});
  EXPECT_TRUE(std::isfinite(means.summary()->off_line));
}

TEST(InputSets, AreMoreThanTwiceTheCache) {
  constexpr std::size_t cache = std::size_t{60} << 20, set = std::size_t{3} << 19;
  EXPECT_EQ(input_sets_needed(set, cache), 81);
  EXPECT_FALSE(fits_in_cache(81, set, cache));
  EXPECT_EQ(input_sets_needed(std::size_t{1} << 30, cache), 2) << "a set beyond the cache takes one other";
  EXPECT_EQ(input_sets_needed(0, cache), most_input_sets);
  EXPECT_EQ(input_sets_needed(100, 0), 2) << "an unknown cache";
  EXPECT_TRUE(fits_in_cache(most_input_sets, 1000, cache));
}

}  // namespace
}  // namespace harness
