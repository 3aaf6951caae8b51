#include "harness/stats/spread/components.h"

#include <gtest/gtest.h>

#include <cmath>
#include <random>

namespace harness::stats {
namespace {

using Groups = std::vector<std::vector<std::vector<double>>>;

// Balanced classical analysis of variance by hand: 2 sessions x 3 values. Means 2 and 5; within 1, between
// m^2 = 4.5 and so 4.5 - 1/3.
TEST(VarianceComponents, AgreeWithABalancedAnalysisByHand) {
  const auto found = variance_components(Groups{{{1, 2, 3}, {4, 5, 6}}}, 0.95);
  ASSERT_TRUE(found);
  EXPECT_DOUBLE_EQ(found->within.variance, 1);
  EXPECT_DOUBLE_EQ(found->within.degrees_of_freedom, 4);
  ASSERT_TRUE(found->between);
  EXPECT_DOUBLE_EQ(found->between->variance, 4.5 - 1.0 / 3);
  EXPECT_DOUBLE_EQ(found->between->degrees_of_freedom, 1);
  EXPECT_FALSE(found->among);
  // chi-squared with 4 degrees of freedom: 0.025 -> 0.484419, 0.975 -> 11.143287 (R's qchisq).
  EXPECT_NEAR(found->within.interval.lo, 4 / 11.143287, 1e-6);
  EXPECT_NEAR(found->within.interval.hi, 4 / 0.484419, 1e-4);
}

TEST(VarianceComponents, NestSessionsInGroups) {
  const auto found = variance_components(Groups{{{1, 3}, {3, 5}}, {{11, 13}, {13, 15}}}, 0.95);
  ASSERT_TRUE(found && found->between && found->among);
  EXPECT_DOUBLE_EQ(found->within.variance, 2);
  EXPECT_DOUBLE_EQ(found->between->variance, 2 - 2.0 / 2);
  EXPECT_DOUBLE_EQ(found->among->variance, 50 - 2.0 / 2);
}

TEST(VarianceComponents, AreNoughtWhereMeansVaryLessThanTheirValuesExplain) {
  const auto found = variance_components(Groups{{{1, 5}, {1, 5}, {1, 5}}}, 0.95);
  ASSERT_TRUE(found && found->between);
  EXPECT_EQ(found->between->variance, 0);
  EXPECT_EQ(found->between->interval.lo, 0);
}

TEST(VarianceComponents, NeedSomethingThatVaries) {
  EXPECT_FALSE(variance_components(Groups{}, 0.95));
  EXPECT_FALSE(variance_components(Groups{{{1}, {2}}}, 0.95));
  EXPECT_FALSE(variance_components(Groups{{{1, std::nan("")}}}, 0.95));
  EXPECT_FALSE(variance_components(Groups{{{1, 2}}}, 0.95)->between);
}

TEST(VarianceComponents, ScaleWithTheSquareAndIgnoreShifts) {
  const Groups groups{{{1, 2.5, 3}, {4, 5, 6.25}}, {{2, 3}, {7, 9, 11}}};
  Groups moved = groups;
  for (auto& group : moved)
    for (auto& session : group)
      for (double& value : session) value = 3 * value + 100;
  const auto a = variance_components(groups, 0.9);
  const auto b = variance_components(moved, 0.9);
  ASSERT_TRUE(a && b);
  EXPECT_NEAR(b->within.variance, 9 * a->within.variance, 1e-9);
  EXPECT_NEAR(b->between->variance, 9 * a->between->variance, 1e-9);
  EXPECT_NEAR(b->among->variance, 9 * a->among->variance, 1e-9);
  EXPECT_NEAR(b->between->interval.hi, 9 * a->between->interval.hi, 1e-9);
}

TEST(VarianceComponents, FindWhatWasPutIn) {
  std::mt19937_64 random(7);
  std::normal_distribution<double> normal(0, 1);
  const int trials = 400;
  double within = 0, between = 0, among = 0;
  int between_held = 0, among_held = 0;
  for (int trial = 0; trial < trials; ++trial) {
    Groups groups(6);
    for (auto& group : groups) {
      const double device = 3 * normal(random);
      for (std::size_t s = 0; s < 4; ++s) {
        const double session = device + 2 * normal(random);
        auto& values = group.emplace_back();
        for (std::size_t p = 0; p < 3 + s; ++p) values.push_back(session + normal(random));
      }
    }
    const auto found = variance_components(groups, 0.95);
    ASSERT_TRUE(found && found->between && found->among);
    within += found->within.variance / trials;
    between += found->between->variance / trials;
    among += found->among->variance / trials;
    between_held += found->between->interval.lo <= 4 && 4 <= found->between->interval.hi ? 1 : 0;
    among_held += found->among->interval.lo <= 9 && 9 <= found->among->interval.hi ? 1 : 0;
  }
  EXPECT_NEAR(within, 1, 0.03);
  EXPECT_NEAR(between, 4, 0.3);
  EXPECT_NEAR(among, 9, 1.2);
  EXPECT_GE(between_held, trials * 0.92);
  EXPECT_GE(among_held, trials * 0.92);
}

TEST(ModeratedVariance, GoesFromTheUsualToTheSeen) {
  EXPECT_DOUBLE_EQ(moderated_variance(9, 0, 1, 4), 1);
  EXPECT_DOUBLE_EQ(moderated_variance(9, 4, 1, 4), 5);
  EXPECT_NEAR(moderated_variance(9, 1e9, 1, 4), 9, 1e-6);
  EXPECT_DOUBLE_EQ(moderated_variance(0, 2, 3, 4), 2);
}

}  // namespace
}  // namespace harness::stats
