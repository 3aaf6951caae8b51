#include "harness/stats/hypothesis/welch.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "harness/stats/hypothesis/proportion.h"
#include "reference.h"

namespace harness::stats {
namespace {

using Values = std::vector<double>;
constexpr double infinity = std::numeric_limits<double>::infinity();

TEST(Welch, AgreesWithScipy) {
  for (const auto& one : reference("welch.json")) {
    SCOPED_TRACE(one["name"].get<std::string>());
    const auto baseline = one["baseline"].get<Values>(), current = one["current"].get<Values>();
    const auto test = welch(baseline, current);
    ASSERT_TRUE(test);
    // Numbers of 1e8 that differ by 2 have lost eight digits before anyone subtracts them.
    const double rounding = 4e-16 * std::abs(baseline[0]);
    expect_close(test->difference, one["difference"], 1e-9, rounding);
    expect_close(test->standard_error, one["standard_error"]);
    expect_close(test->degrees_of_freedom, one["degrees_of_freedom"]);
    for (const auto& interval : one["intervals"]) {
      const Bounds bounds = test->interval(interval["confidence"]);
      expect_close(bounds.lo, interval["lo"], 1e-9, rounding);
      expect_close(bounds.hi, interval["hi"], 1e-9, rounding);
    }
    const double p_tolerance = 1e-9 + 20 * rounding / test->standard_error;
    for (const auto& expected : one["margins"]) {
      const double margin = expected["margin"];
      expect_close(test->p_above(margin), expected["p_above"], p_tolerance, 1e-300);
      expect_close(test->p_below(margin), expected["p_below"], p_tolerance, 1e-300);
      expect_close(test->p_outside(margin), expected["p_outside"], p_tolerance, 1e-300);
    }
  }
}

TEST(Welch, WithKnownVariancesAgreesWithTheFormulas) {
  for (const auto& one : reference("known_variance.json")) {
    SCOPED_TRACE(one["name"].get<std::string>());
    const auto test = welch(one["baseline"].get<Values>(), one["current"].get<Values>(),
                            one["known_baseline"], one["known_current"]);
    ASSERT_TRUE(test);
    expect_close(test->standard_error, one["standard_error"]);
    expect_close(test->degrees_of_freedom, one["degrees_of_freedom"]);
    expect_close(test->p_above(0), one["p_above_zero"], 3e-7, 1e-300);  // 1e8-sized data: see above
  }
}

TEST(Welch, NeedsTwoFiniteValuesASide) {
  EXPECT_FALSE(welch(Values{}, Values{1, 2}));
  EXPECT_FALSE(welch(Values{1}, Values{1, 2}));
  EXPECT_FALSE(welch(Values{1, 2}, Values{1}));
  for (const double bad : {std::nan(""), infinity, -infinity}) {
    EXPECT_FALSE(welch(Values{1, bad}, Values{1, 2})) << bad;
    EXPECT_FALSE(welch(Values{1, 2}, Values{bad, 2, 3})) << bad;
    EXPECT_FALSE(welch(Values{1, 2}, Values{2, 3}, bad)) << bad;
  }
  EXPECT_FALSE(welch(Values{1, 2}, Values{2, 3}, -1));
  EXPECT_FALSE(welch(Values{-1e308, -1.1e308}, Values{1e308, 1.1e308}));
}

TEST(Welch, WithoutAnyVarianceIsStillDecidable) {
  const auto test = welch(Values{1, 1, 1}, Values{1.5, 1.5});
  ASSERT_TRUE(test);
  EXPECT_EQ(test->standard_error, 0);
  EXPECT_EQ(test->p_above(0.4), 0);
  EXPECT_EQ(test->p_above(0.5), 1);  // not beyond the margin, on it
  EXPECT_EQ(test->p_above(0.6), 1);
  EXPECT_EQ(test->p_below(0.6), 0);
  EXPECT_EQ(test->p_outside(0.6), 0);
  EXPECT_EQ(test->p_outside(0.4), 1);
  EXPECT_EQ(test->interval(0.98).lo, 0.5);
  EXPECT_EQ(test->interval(0.98).hi, 0.5);
  EXPECT_EQ(test->degrees_of_freedom, 3);
}

TEST(Welch, WithOneConstantSideUsesTheDegreesOfFreedomOfTheOther) {
  const auto test = welch(Values{1, 1, 1, 1, 1}, Values{1.5, 1.6, 1.7});
  ASSERT_TRUE(test);
  EXPECT_DOUBLE_EQ(test->degrees_of_freedom, 2);
}

TEST(Welch, WithOnlyKnownVarianceIsNormal) {
  const auto test = welch(Values{1, 1, 1}, Values{3, 3}, 0.5, 0.5);
  ASSERT_TRUE(test);
  EXPECT_EQ(test->degrees_of_freedom, infinity);
  EXPECT_NEAR(test->p_above(0), 0.5 * std::erfc(2 / std::sqrt(2.0)), 1e-12);
  EXPECT_NEAR(test->interval(0.95).lo, 2 - 1.959963984540054, 1e-9);
}

TEST(Welch, SurvivesVariancesWhoseSquaresUnderflow) {
  const auto test = welch(Values{1e-100, 2e-100}, Values{4e-100, 6e-100, 5e-100});
  ASSERT_TRUE(test);
  const auto scaled = welch(Values{1, 2}, Values{4, 6, 5});
  EXPECT_NEAR(test->degrees_of_freedom, scaled->degrees_of_freedom, 1e-9);
  EXPECT_NEAR(test->p_above(0), scaled->p_above(0), 1e-12);
}

TEST(Welch, ShiftsScalesAndMirrors) {
  const Values baseline{1.0, 1.2, 0.9, 1.1}, current{1.3, 1.6, 1.2};
  const auto test = welch(baseline, current), mirrored = welch(current, baseline);
  EXPECT_DOUBLE_EQ(test->difference, -mirrored->difference);
  EXPECT_DOUBLE_EQ(test->degrees_of_freedom, mirrored->degrees_of_freedom);
  EXPECT_NEAR(test->p_above(0.1), mirrored->p_below(-0.1), 1e-15);
  EXPECT_NEAR(test->p_outside(0.1), mirrored->p_outside(0.1), 1e-15);
  Values moved_baseline, moved_current;
  for (const double value : baseline) moved_baseline.push_back(3 * value + 7);
  for (const double value : current) moved_current.push_back(3 * value + 7);
  const auto moved = welch(moved_baseline, moved_current);
  EXPECT_NEAR(moved->p_above(0.3), test->p_above(0.1), 1e-12);
  EXPECT_NEAR(moved->interval(0.9).hi, 3 * test->interval(0.9).hi, 1e-12);
}

TEST(Welch, EquivalenceIsTheIntervalInsideTheMargin) {
  const auto test = welch(Values{1.0, 1.02, 0.99, 1.01}, Values{1.0, 1.03, 1.01, 1.02});
  const double alpha = 0.05;
  const Bounds bounds = test->interval(1 - 2 * alpha);
  const double edge = std::max(bounds.hi, -bounds.lo);
  EXPECT_LT(test->p_outside(edge * 1.001), alpha);
  EXPECT_GT(test->p_outside(edge * 0.999), alpha);
}

TEST(StudentsT, HandlesTheEnds) {
  EXPECT_EQ(students_t_tail(4, infinity), 0);
  EXPECT_EQ(students_t_tail(4, -infinity), 1);
  EXPECT_GT(students_t_tail(4, 1e30), 0);
  EXPECT_NEAR(students_t_critical(infinity, 0.025), 1.959963984540054, 1e-9);
}

TEST(ClopperPearson, AgreesWithScipy) {
  for (const auto& one : reference("proportion.json")) {
    const Bounds bounds = clopper_pearson(one["successes"], one["trials"], one["confidence"]);
    expect_close(bounds.lo, one["lo"]);
    expect_close(bounds.hi, one["hi"]);
  }
  EXPECT_EQ(clopper_pearson(0, 0, 0.9).hi, 1);
}

}  // namespace
}  // namespace harness::stats
