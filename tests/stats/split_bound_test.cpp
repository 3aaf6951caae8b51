#include "harness/stats/series/split_bound.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <functional>

#include "harness/stats/estimate/random.h"
#include "harness/stats/series/change_points.h"

namespace harness::stats {
namespace {

using Values = std::vector<double>;

// The largest statistic of the splits that leave `least` values on both sides.
double largest_statistic(const Values& values, std::size_t least) {
  const Values statistics = split_statistics(values);
  const auto first = statistics.begin() + static_cast<std::ptrdiff_t>(least) - 1;
  return *std::max_element(first, statistics.end() - static_cast<std::ptrdiff_t>(least));
}

double mean_distance(const RankedValues& values) {
  const double count = static_cast<double>(values.sorted.size());
  return 2 * values.total / count / (count - 1);
}

Values step(std::size_t count, std::size_t at, double height, const std::function<double()>& noise) {
  Values values(count);
  for (std::size_t i = 0; i < count; ++i) values[i] = (i < at ? 0 : height) + noise();
  return values;
}

TEST(RankedValues, HaveTheSumsOfTheirDistances) {
  const Values values{5, -1, 3, 3, 10};
  const auto ranks = ranks_of(values);
  const RankedValues ranked(values, ranks);
  double total = 0;
  for (std::size_t i = 0; i < values.size(); ++i) {
    EXPECT_DOUBLE_EQ(ranked.sorted[ranks[i]], values[i] - 4);
    double distances = 0;
    for (const double other : values) distances += std::abs(values[i] - other);
    EXPECT_DOUBLE_EQ(ranked.distances[ranks[i]], distances);
    total += distances / 2;
  }
  EXPECT_DOUBLE_EQ(ranked.total, total);
  EXPECT_TRUE(std::is_sorted(ranked.sorted.begin(), ranked.sorted.end()));
}

// Bars that a split just reaches, of changes anywhere, clear and less clear: to show them out of reach is
// wrong.
TEST(SplitBound, NeverShowsBelowABarWhatReachesIt) {
  Random random(91);
  const auto sharp = [] { return 0.0; };
  const auto normal = [&] { return random.normal(); };
  const auto skewed = [&] { return std::exp(2 * random.normal()); };
  const auto wild = [&] { return random.normal() + (random.below(50) == 0 ? 100 : 0); };
  std::size_t asked = 0;
  for (const std::function<double()>& noise :
       std::initializer_list<std::function<double()>>{sharp, normal, skewed, wild})
    for (int round = 0; round < 400; ++round) {
      const std::size_t count = 4 + random.below(200);
      const std::uint32_t most = round % 4 == 0 ? static_cast<std::uint32_t>(count / 2) : 2;
      const std::size_t least = 2 + random.below(most - 1);
      const Values values =
          step(count, random.below(static_cast<std::uint32_t>(count)), 8 * random.uniform(), noise);
      const auto order = ranks_of(values);
      const RankedValues ranked(values, order);
      const double reached = largest_statistic(values, least) * (1 - 1e-9);
      for (const double share : {1.0, 0.97, 0.8})
        EXPECT_FALSE(SplitBound(ranked, share * reached).shows_below(order, least, ranked))
            << "round " << round << " of " << count << " values";
      asked += reached > 8 * mean_distance(ranked) ? 1 : 0;  // a bar that the bound takes on
    }
  EXPECT_GT(asked, 300u);
}

TEST(SplitBound, SettlesMostShufflesWhereTheBarIsFarAbove) {
  Random random(92);
  for (const std::size_t count : {30UL, 300UL, 1001UL}) {
    Values values = step(count, 0, 0, [&] { return random.normal(); });
    for (const double bar : {15.0, 40.0}) {
      std::size_t shown = 0;
      const auto in_order = ranks_of(values);
      const RankedValues ranked(values, in_order);
      SplitBound bound(ranked, bar * mean_distance(ranked));
      auto order = in_order;
      constexpr std::size_t shuffles = 200;
      for (std::size_t i = 0; i < shuffles; ++i) {
        random.shuffle(std::span(order));
        shown += bound.shows_below(order, 2, ranked) ? 1 : 0;
      }
      EXPECT_GT(shown, shuffles * 3 / 4) << count << " values, bar " << bar;
    }
  }
}

TEST(SplitBound, ShowsNothingWhereItWouldNotPay) {
  Values values;
  Random random(93);
  for (int i = 0; i < 500; ++i) values.push_back(random.normal());
  auto order = ranks_of(values);
  const RankedValues ranked(values, order);
  EXPECT_TRUE(SplitBound(ranked, 30 * mean_distance(ranked)).shows_below(order, 2, ranked));
  EXPECT_FALSE(SplitBound(ranked, 5 * mean_distance(ranked)).shows_below(order, 2, ranked));
  const Values equal(50, 7.5);
  const RankedValues no_distance(equal, ranks_of(equal));
  EXPECT_FALSE(SplitBound(no_distance, 0).shows_below(ranks_of(equal), 2, no_distance));
}

}  // namespace
}  // namespace harness::stats
