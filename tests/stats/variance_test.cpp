#include "harness/stats/spread/variance.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "calibration.h"
#include "reference.h"

namespace harness::stats {
namespace {

using Values = std::vector<double>;
constexpr double infinity = std::numeric_limits<double>::infinity();

TEST(FTest, AgreesWithScipy) {
  for (const auto& one : reference("variance.json")) {
    SCOPED_TRACE(one["name"].get<std::string>());
    const auto baseline = one["baseline"].get<Values>(), current = one["current"].get<Values>();
    const auto test = f_test(baseline, current);
    ASSERT_TRUE(test);
    expect_close(test->ratio, one["f"]);
    expect_close(test->p, one["p"], 1e-9, 1e-300);
    expect_close(test->interval(0.9).lo, one["lo"]);
    expect_close(test->interval(0.9).hi, one["hi"]);
  }
}

TEST(FTest, OfConstantSidesIsDecided) {
  const auto neither = f_test(Values{1, 1, 1}, Values{2, 2});
  EXPECT_TRUE(neither->constant);
  EXPECT_EQ(neither->p, 1);
  EXPECT_EQ(neither->ratio, 1);
  EXPECT_EQ(neither->interval(0.9).hi, 1);
  const auto baseline_only = f_test(Values{1, 1, 1}, Values{2, 3});
  EXPECT_EQ(baseline_only->p, 0);
  EXPECT_EQ(baseline_only->ratio, infinity);
  const auto current_only = f_test(Values{1, 2}, Values{3, 3});
  EXPECT_EQ(current_only->p, 0);
  EXPECT_EQ(current_only->ratio, 0);
  EXPECT_EQ(current_only->interval(0.9).hi, 0);
}

TEST(FTest, NeedsTwoFiniteValuesASide) {
  EXPECT_FALSE(f_test(Values{1}, Values{1, 2}));
  for (const double bad : {std::nan(""), infinity, -infinity})
    EXPECT_FALSE(f_test(Values{1, 2, bad}, Values{1, 2}));
}

TEST(FTest, IgnoresShiftsAndMirrors) {
  const Values baseline{1.0, 1.2, 0.9, 1.1}, current{1.3, 1.9, 1.2};
  Values moved;
  for (const double value : current) moved.push_back(value + 5);
  const auto test = f_test(baseline, current), mirrored = f_test(current, baseline);
  EXPECT_NEAR(test->p, f_test(baseline, moved)->p, 1e-12);
  EXPECT_NEAR(test->p, mirrored->p, 1e-14);
  EXPECT_NEAR(test->ratio, 1 / mirrored->ratio, 1e-12);
  EXPECT_NEAR(test->interval(0.9).lo, 1 / mirrored->interval(0.9).hi, 1e-12);
}

TEST(FTest, OfTwoAgainstFiftyAndOfTenMillionIsFinite) {
  const auto uneven = f_test(Moments{2, 0, 1}, Moments{50, 0, 1.5});
  EXPECT_GT(uneven->p, 0.5);
  const auto huge = f_test(Moments{10'000'000, 0, 1}, Moments{10'000'000, 0, 1.001});
  // log F is normal with variance 2/n_b + 2/n_c there.
  EXPECT_NEAR(huge->p, std::erfc(std::log(1.001) / std::sqrt(4e-7) / std::sqrt(2.0)), 1e-4);
  EXPECT_NEAR(std::log(huge->interval(0.95).hi / 1.001), 1.959964 * std::sqrt(4e-7), 1e-6);
}

TEST(FTest, KeepsItsLevelForNormalValues) {
  Draw draw(51);
  expect_rate(0.05, 8000, [&] { return f_test(draw.normals(5), draw.normals(12, 3))->p < 0.05; });
  expect_rate(0.01, 8000, [&] { return f_test(draw.normals(20), draw.normals(20))->p < 0.01; });
}

}  // namespace
}  // namespace harness::stats
