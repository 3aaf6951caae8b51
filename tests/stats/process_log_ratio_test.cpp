#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <vector>

#include "harness/stats/hypothesis/paired.h"

namespace harness::stats {
namespace {

using Samples = std::vector<std::vector<double>>;

double ratio(const Samples& baseline, const Samples& current) {
  const std::vector<std::span<const double>> one(baseline.begin(), baseline.end());
  const std::vector<std::span<const double>> other(current.begin(), current.end());
  return process_log_ratio(one, other);
}

TEST(ProcessLogRatio, IsTheMeanOverPlacements) {
  EXPECT_NEAR(ratio({{100, 100}, {50, 50}}, {{102, 102}, {52, 52}}), (std::log(1.02) + std::log(1.04)) / 2,
              1e-15);
}

TEST(ProcessLogRatio, TrimsATenthAtEachEndAndNoMore) {
  const std::vector<double> plain(10, 100);
  std::vector<double> one_far = plain, two_far = plain;
  one_far[3] = two_far[3] = 1e6;
  two_far[7] = 200;  // beyond every fence, since nothing else varies
  EXPECT_EQ(ratio({plain}, {one_far}), 0);
  EXPECT_NEAR(ratio({plain}, {two_far}), std::log(2.0) / 8, 1e-15);
}

TEST(ProcessLogRatio, SwapsSignWithTheSidesAndIgnoresTheScale) {
  const Samples one{{100, 103, 99, 101}, {98, 97}}, other{{105, 101, 107, 104}, {99, 100}};
  Samples scaled = other;
  for (auto& placement : scaled)
    for (double& sample : placement) sample *= 3;
  EXPECT_NEAR(ratio(one, other), -ratio(other, one), 1e-15);
  EXPECT_NEAR(ratio(one, scaled), ratio(one, other) + std::log(3.0), 1e-14);
}

TEST(ProcessLogRatio, LeavesOutPlacementsThatOneSideLacks) {
  EXPECT_NEAR(ratio({{100}, {}, {70}}, {{102}, {90}}), std::log(1.02), 1e-15);
  EXPECT_TRUE(std::isnan(ratio({}, {})));
  EXPECT_TRUE(std::isnan(ratio({{}}, {{100}})));
  EXPECT_TRUE(std::isnan(ratio({{100}}, {{-1}})));
  EXPECT_TRUE(std::isnan(ratio({{100}}, {{std::numeric_limits<double>::infinity()}})));
}

}  // namespace
}  // namespace harness::stats
