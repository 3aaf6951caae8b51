#include "harness/stats/estimate/mean_interval.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <random>
#include <vector>

namespace harness::stats {
namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();

std::vector<double> autoregression(std::size_t count, double shared, std::uint64_t seed) {
  std::mt19937_64 random(seed);
  std::normal_distribution<double> normal(0, 1);
  std::vector<double> values;
  double state = normal(random) / std::sqrt(1 - shared * shared);
  for (std::size_t i = 0; i < count; ++i) {
    values.push_back(100 + state);
    state = shared * state + normal(random);
  }
  return values;
}

TEST(WidthOfMean, IsStudentsIntervalWhereNeighboursShareNothing) {
  // Alternating: the autocorrelation is negative and counts as none. sd sqrt(10/9), t(9, 0.975) = 2.262157.
  const std::vector<double> values{101, 99, 101, 99, 101, 99, 101, 99, 101, 99};
  EXPECT_NEAR(relative_width_of_mean(values), 2 * 2.262157 * std::sqrt(10.0 / 9 / 10) / 100, 1e-8);
}

TEST(WidthOfMean, DoesNotChangeWithTheUnit) {
  std::vector<double> values = autoregression(60, 0.3, 1), scaled = values;
  for (double& value : scaled) value *= 1e-6;
  EXPECT_NEAR(relative_width_of_mean(values), relative_width_of_mean(scaled), 1e-12);
}

TEST(WidthOfMean, ShrinksWithTheSquareRootOfTheNumber) {
  const double few = relative_width_of_mean(autoregression(400, 0, 2)),
               many = relative_width_of_mean(autoregression(6400, 0, 2));
  EXPECT_NEAR(few / many, 4, 0.5);
}

TEST(WidthOfMean, CoversTheMeanOfDependentValuesWhereIgnoringThemWouldNot) {
  constexpr int trials = 400;
  int covered = 0, covered_if_independent = 0;
  for (int trial = 0; trial < trials; ++trial) {
    const std::vector<double> values = autoregression(200, 0.8, 1000 + static_cast<std::uint64_t>(trial));
    double mean = 0, square = 0;
    for (const double value : values) mean += value / 200;
    for (const double value : values) square += (value - mean) * (value - mean);
    if (std::abs(mean - 100) <= relative_width_of_mean(values) / 2 * mean) ++covered;
    if (std::abs(mean - 100) <= 1.972 * std::sqrt(square / 199 / 200)) ++covered_if_independent;
  }
  EXPECT_GT(covered, 0.88 * trials);
  EXPECT_LT(covered_if_independent, 0.6 * trials);
}

TEST(WidthOfMean, LeavesFarOutliersOut) {
  std::vector<double> values = autoregression(50, 0, 3);
  const double before = relative_width_of_mean(values);
  values.push_back(1000);
  EXPECT_NEAR(relative_width_of_mean(values), before, before / 10);
}

TEST(WidthOfMean, IsNoughtForOneValueAndUnknownForTooFewOrNone) {
  EXPECT_EQ(relative_width_of_mean(std::vector<double>{2, 2, 2, 2}), 0);
  EXPECT_EQ(relative_width_of_mean({}), infinity);
  EXPECT_EQ(relative_width_of_mean(std::vector<double>{1, 2}), infinity);
  EXPECT_EQ(relative_width_of_mean(std::vector<double>{1, 2, std::nan("")}), infinity);
  EXPECT_EQ(relative_width_of_mean(std::vector<double>{-1, -2, -3}), infinity);
}

}  // namespace
}  // namespace harness::stats
