#include "harness/stats/estimate/slope.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <vector>

namespace harness::stats {
namespace {

TEST(LeastSquares, FindsTheLineThatPointsLieOn) {
  const std::vector<double> calls{50, 100, 200, 400}, times{153, 303, 603, 1203};
  const auto line = least_squares(calls, times);
  ASSERT_TRUE(line);
  EXPECT_NEAR(line->slope, 3, 1e-12);
  EXPECT_NEAR(line->intercept, 3, 1e-9);
  EXPECT_NEAR(line->residual_sd, 0, 1e-9);
  EXPECT_NEAR(line->off_line, 0, 1e-12);
  ASSERT_TRUE(line->test);
  EXPECT_EQ(line->test->degrees_of_freedom, 2);
}

// By hand: x - 3 = -2 .. 2, Sxx = 10, Sxy = 6, Syy = 6: slope 0.6, intercept 2.2, RSS = 6 - 3.6 = 2.4,
// s^2 = 0.8, SE = sqrt(0.08), t(3, 0.975) = 3.182446305.
TEST(LeastSquares, GivesTheIntervalOfTheSlope) {
  const std::vector<double> x{1, 2, 3, 4, 5}, y{2, 4, 5, 4, 5};
  const auto line = least_squares(x, y);
  ASSERT_TRUE(line && line->test);
  EXPECT_NEAR(line->slope, 0.6, 1e-12);
  EXPECT_NEAR(line->intercept, 2.2, 1e-12);
  EXPECT_NEAR(line->residual_sd, std::sqrt(0.8), 1e-12);
  EXPECT_NEAR(line->test->standard_error, std::sqrt(0.08), 1e-12);
  const Bounds bounds = line->test->interval(0.95);
  EXPECT_NEAR(bounds.lo, 0.6 - 3.182446305 * std::sqrt(0.08), 1e-8);
  EXPECT_NEAR(bounds.hi, 0.6 + 3.182446305 * std::sqrt(0.08), 1e-8);
  EXPECT_NEAR(line->off_line, 0.8 / 2.8, 1e-12)
      << "the point (1, 2) below 2.8: (3, 5) lies further off, of more";
}

TEST(LeastSquares, SaysNothingOfTheUncertaintyOfTwoPoints) {
  const std::vector<double> x{100, 400}, y{320, 1259};
  const auto line = least_squares(x, y);
  ASSERT_TRUE(line);
  EXPECT_NEAR(line->slope, 3.13, 1e-12);
  EXPECT_EQ(line->off_line, 0);
  EXPECT_FALSE(line->test);
}

TEST(LeastSquares, IsNotMisledByLargeOffsets) {
  const std::vector<double> x{1, 2, 3}, y{1e12 + 1, 1e12 + 2, 1e12 + 3};
  EXPECT_NEAR(least_squares(x, y)->slope, 1, 1e-3);
}

TEST(LeastSquares, FallsWithValuesThatFall) {
  const std::vector<double> x{1, 2, 3}, y{3, 2, 0};
  const auto line = least_squares(x, y);
  EXPECT_LT(line->slope, 0);
  EXPECT_TRUE(std::isfinite(line->off_line));
  const std::vector<double> below{1, -3, -3};
  EXPECT_EQ(least_squares(x, below)->off_line, std::numeric_limits<double>::infinity());
}

TEST(LeastSquares, RefusesWhatHasNoLine) {
  const std::vector<double> one{1}, two{1, 2}, three{1, 2, 3}, same{4, 4}, infinite{1, INFINITY};
  EXPECT_FALSE(least_squares({}, {}));
  EXPECT_FALSE(least_squares(one, one));
  EXPECT_FALSE(least_squares(two, three));
  EXPECT_FALSE(least_squares(same, two));
  EXPECT_FALSE(least_squares(two, infinite));
}

}  // namespace
}  // namespace harness::stats
