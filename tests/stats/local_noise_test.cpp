#include "harness/stats/series/local_noise.h"

#include <gtest/gtest.h>

#include <cmath>
#include <random>
#include <vector>

namespace harness::stats {
namespace {

std::vector<double> normal_values(std::size_t count, double sd, unsigned seed = 1) {
  std::mt19937_64 random(seed);
  std::normal_distribution<double> noise(0, sd);
  std::vector<double> values(count);
  for (double& value : values) value = noise(random);
  return values;
}

// Second differences 3, -4, 2: their median distance is 3.
TEST(LocalNoise, IsTheMedianOfSecondDifferences) {
  const auto noise = local_noise(std::vector<double>{0, 0, 3, 2, 3});
  ASSERT_TRUE(noise);
  EXPECT_NEAR(noise->variance, std::pow(3 / 0.6744897501960817, 2) / 6, 1e-12);
  EXPECT_DOUBLE_EQ(noise->degrees_of_freedom, 0.75);
}

TEST(LocalNoise, IsThatOfTheValuesWhateverTheirLevelDoes) {
  std::vector<double> values = normal_values(2000, 0.01);
  EXPECT_NEAR(std::sqrt(local_noise(values)->variance), 0.01, 0.0006);
  const double before = local_noise(values)->variance;
  for (std::size_t i = 0; i < values.size(); ++i) values[i] += 0.05 * static_cast<double>(i) + 7;
  EXPECT_NEAR(local_noise(values)->variance, before, before * 1e-6) << "a drift";
  for (std::size_t i = 0; i < values.size(); ++i) values[i] += i / 20 % 2 == 0 ? 1 : 0;
  EXPECT_NEAR(local_noise(values)->variance, before, before * 0.3) << "steps";
}

// Twice the squared mean over the variance of the estimate, as for a chi-squared.
TEST(LocalNoise, IsKnownAsWellAsItSays) {
  for (const std::size_t count : {20U, 60U}) {
    double sum = 0, squares = 0;
    constexpr int trials = 4000;
    for (int i = 0; i < trials; ++i) {
      const double variance = local_noise(normal_values(count, 1, static_cast<unsigned>(i)))->variance;
      sum += variance;
      squares += variance * variance;
    }
    const double mean = sum / trials;
    const double freedom = 2 * mean * mean / (squares / trials - mean * mean);
    EXPECT_NEAR(freedom, static_cast<double>(count - 2) / 4, 0.15 * freedom) << count;
  }
}

TEST(LocalNoise, NeedsFiveFiniteValues) {
  EXPECT_FALSE(local_noise(std::vector<double>{1, 2, 3, 4}));
  EXPECT_FALSE(local_noise(std::vector<double>{1, 2, std::nan(""), 4, 5}));
}

}  // namespace
}  // namespace harness::stats
