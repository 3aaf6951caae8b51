#include "harness/stats/hypothesis/paired.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "calibration.h"
#include "harness/stats/hypothesis/power.h"
#include "harness/stats/hypothesis/welch.h"
#include "reference.h"

namespace harness::stats {
namespace {

using Values = std::vector<double>;
constexpr double infinity = std::numeric_limits<double>::infinity();

TEST(OneSample, AgreesWithScipy) {
  for (const auto& one : reference("paired.json")) {
    const auto test = one_sample(one["values"].get<Values>(), one["known"]);
    ASSERT_TRUE(test);
    expect_close(test->difference, one["difference"]);
    expect_close(test->standard_error, one["standard_error"]);
    expect_close(test->degrees_of_freedom, one["degrees_of_freedom"]);
    expect_close(test->interval(0.98).lo, one["lo"]);
    expect_close(test->interval(0.98).hi, one["hi"]);
    for (const auto& expected : one["margins"]) {
      const double margin = expected["margin"];
      expect_close(test->p_above(margin), expected["p_above"], 1e-9, 1e-300);
      expect_close(test->p_below(margin), expected["p_below"], 1e-9, 1e-300);
      expect_close(test->p_differs(margin), expected["p_differs"], 1e-9, 1e-300);
      expect_close(test->p_outside(margin), expected["p_equivalence"], 1e-9, 1e-300);
    }
  }
}

TEST(OneSample, NeedsTwoFiniteValues) {
  EXPECT_FALSE(one_sample(Values{}));
  EXPECT_FALSE(one_sample(Values{1}));
  for (const double bad : {std::nan(""), infinity, -infinity}) {
    EXPECT_FALSE(one_sample(Values{1, bad, 2})) << bad;
    EXPECT_FALSE(one_sample(Values{1, 2}, bad)) << bad;
  }
  EXPECT_FALSE(one_sample(Values{1, 2}, -1e-9));
  EXPECT_FALSE(one_sample(Values{-1e200, 1e200}));
}

TEST(OneSample, WithoutVarianceIsDecidableAndWithKnownVarianceNormal) {
  const auto constant = one_sample(Values{0.02, 0.02, 0.02});
  ASSERT_TRUE(constant);
  EXPECT_EQ(constant->degrees_of_freedom, 2);
  EXPECT_EQ(constant->p_above(0.01), 0);
  EXPECT_EQ(constant->p_above(0.02), 1);
  EXPECT_EQ(constant->interval(0.98).hi, 0.02);
  const auto known = one_sample(Values{0.02, 0.02, 0.02}, 1e-4);
  ASSERT_TRUE(known);
  EXPECT_EQ(known->degrees_of_freedom, infinity);
  EXPECT_NEAR(known->p_above(0), 0.5 * std::erfc(2 / std::sqrt(2.0)), 1e-12);
}

TEST(Paired, IsTheTestOfTheDifferencesAndMirrorsWithItsSides) {
  const Values baseline{1.0, 3.0, 2.0, 5.0}, current{1.2, 3.1, 2.4, 5.3};
  const auto test = paired(baseline, current), mirrored = paired(current, baseline);
  const auto differences = one_sample(Values{1.2 - 1.0, 3.1 - 3.0, 2.4 - 2.0, 5.3 - 5.0});
  EXPECT_DOUBLE_EQ(test->p_above(0.1), differences->p_above(0.1));
  EXPECT_DOUBLE_EQ(test->p_above(0.1), mirrored->p_below(-0.1));
  EXPECT_LT(test->standard_error, welch(baseline, current)->standard_error / 10);
  EXPECT_FALSE(paired(Values{1, 2, 3}, Values{1, 2}));
}

TEST(Paired, KeepsItsLevelAtFiveProcesses) {
  Draw draw(31);
  expect_rate(0.01, 20'000, [&] { return one_sample(draw.normals(5, 0.01, 0.002))->p_above(0.01) < 0.01; });
}

// The fewest processes for a test of differences with this sd.
std::optional<int> pairs_needed(double gap, double sd, double known, const DetectableShift& shift) {
  return fewest_processes(gap, shift, 1000, [&](int processes) {
    return *one_sample(Moments{static_cast<std::size_t>(processes), 0, sd * sd}, known);
  });
}

TEST(FewestProcesses, AreTheFirstNumberThatReachesThePower) {
  const DetectableShift shift(0.01, 0.8);
  const double gap = 0.004, sd = 0.003;
  const auto needed = pairs_needed(gap, sd, 0, shift);
  ASSERT_TRUE(needed);
  const auto power_with = [&](int processes) {
    return power_of_t_test(processes - 1, gap / (sd / std::sqrt(processes)), 0.01);
  };
  EXPECT_GE(power_with(*needed), 0.8);
  EXPECT_LT(power_with(*needed - 1), 0.8);
  EXPECT_EQ(pairs_needed(gap, 0, 0, shift), 2);
  EXPECT_FALSE(pairs_needed(gap, sd, 1e-4, shift));
  EXPECT_FALSE(pairs_needed(0, sd, 0, shift));
}

TEST(MinimumDetectable, IsFoundWithThePowerAskedFor) {
  const DetectableShift shift(0.01, 0.8);
  const TTest test{0, 0.001, 4};
  const double detectable = minimum_detectable(test, 0.01, shift);
  EXPECT_NEAR(power_of_t_test(4, (detectable - 0.01) / 0.001, 0.01), 0.8, 1e-4);
  EXPECT_EQ(minimum_detectable(TTest{0, 0, 4}, 0.01, shift), 0.01);
  Draw draw(33);
  expect_rate(0.8, 4000, [&] {
    const double effect = 0.01 + shift.at(4) * 0.002 / std::sqrt(5.0);
    return one_sample(draw.normals(5, effect, 0.002))->p_above(0.01) < 0.01;
  });
}

}  // namespace
}  // namespace harness::stats
