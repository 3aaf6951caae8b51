#include "harness/stats/series/serial.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "calibration.h"
#include "harness/stats/series/trend.h"
#include "reference.h"

namespace harness::stats {
namespace {

using Values = std::vector<double>;
constexpr double infinity = std::numeric_limits<double>::infinity();

Values auto_correlated(Draw& draw, std::size_t count, double rho) {
  Values values{draw.normal()};
  while (values.size() < count)
    values.push_back(rho * values.back() + std::sqrt(1 - rho * rho) * draw.normal());
  return values;
}

TEST(Serial, AgreesWithTheDefinitionsAndScipy) {
  for (const auto& one : reference("serial.json")) {
    SCOPED_TRACE(one["name"].get<std::string>());
    const auto values = one["values"].get<Values>();
    const auto lags = one["lags"].get<std::vector<std::size_t>>();
    for (std::size_t i = 0; i < lags.size(); ++i)
      expect_close(autocorrelation(values, lags[i]).value(), one["autocorrelation"][i], 1e-9, 1e-13);
    const auto runs = runs_test(values);
    ASSERT_TRUE(runs);
    EXPECT_EQ(runs->runs, one["runs_test"]["runs"].get<std::size_t>());
    EXPECT_EQ(runs->above, one["runs_test"]["above"].get<std::size_t>());
    EXPECT_EQ(runs->below, one["runs_test"]["below"].get<std::size_t>());
    expect_close(runs->p_few, one["runs_test"]["p_few"]);
    expect_close(runs->p_many, one["runs_test"]["p_many"]);
  }
}

TEST(Trend, AgreesWithScipy) {
  for (const auto& one : reference("serial.json")) {
    SCOPED_TRACE(one["name"].get<std::string>());
    const auto values = one["values"].get<Values>();
    const auto line = drift(values);
    ASSERT_TRUE(line);
    expect_close(line->difference, one["slope"]);
    expect_close(line->standard_error, one["slope_error"]);
    expect_close(line->p_differs(), one["p_slope"], 1e-9, 1e-300);
  }
}

TEST(Serial, WithoutVarianceOrWithTooFewValuesIsUndefined) {
  EXPECT_FALSE(autocorrelation(Values{}));
  EXPECT_FALSE(autocorrelation(Values{1}));
  EXPECT_FALSE(autocorrelation(Values{2, 2, 2}));
  EXPECT_FALSE(autocorrelation(Values{1, 2}, 2));
  EXPECT_TRUE(autocorrelation(Values{1, 2}, 1));
  EXPECT_FALSE(runs_test(Values{}));
  EXPECT_FALSE(runs_test(Values{1}));
  EXPECT_FALSE(runs_test(Values{2, 2, 2}));
  EXPECT_FALSE(drift(Values{1, 2}));
  EXPECT_EQ(drift(Values{2, 2, 2})->p_differs(), 1);
  EXPECT_EQ(drift(Values{1, 2, 3})->p_differs(), 0);
  EXPECT_EQ(runs_test(Values{1, 1, 1, 1, 2})->p, 1);  // only one value is not the median
  for (const double bad : {std::nan(""), infinity, -infinity}) {
    EXPECT_FALSE(autocorrelation(Values{1, 2, bad, 4}));
    EXPECT_FALSE(drift(Values{1, 2, bad, 4}));
  }
  EXPECT_FALSE(runs_test(Values{1, 2, std::nan(""), 4}));
}

TEST(Serial, IgnoresShiftAndScaleAndMirrorsTheTrend) {
  Draw draw(61);
  const Values values = draw.normals(30);
  Values moved, reversed(values.rbegin(), values.rend());
  for (const double value : values) moved.push_back(4 * value - 7);
  EXPECT_EQ(runs_test(values)->p, runs_test(moved)->p);
  EXPECT_EQ(runs_test(values)->p, runs_test(reversed)->p);
  EXPECT_NEAR(drift(moved)->difference, 4 * drift(values)->difference, 1e-12);
  EXPECT_NEAR(drift(reversed)->difference, -drift(values)->difference, 1e-13);
}

TEST(Serial, TellsClumpsFromAlternation) {
  const Values clumps{1, 1.1, 1.2, 0.9, 5, 5.1, 5.2, 4.9}, alternating{1, 5, 1.1, 5.1, 0.9, 4.9, 1.2, 5.2};
  EXPECT_LT(runs_test(clumps)->p_few, 0.05);
  EXPECT_LT(runs_test(alternating)->p_many, 0.05);
  EXPECT_GT(*autocorrelation(clumps), 0.5);
  EXPECT_LT(*autocorrelation(alternating), -0.5);
}

TEST(Serial, JoinsTheExactAndTheNormalDistributionOfRuns) {
  Values values;
  for (int i = 0; i < 1000; ++i) values.push_back(i % 5 < 2 || i % 7 == 0 ? i : -i - 1);
  const auto exact = runs_test(values);
  Values longer = values;
  longer.insert(longer.end(), {1, -1});
  const auto normal = runs_test(longer);
  ASSERT_EQ(exact->above + exact->below, 1000u);
  ASSERT_EQ(normal->above + normal->below, 1002u);
  const double sd = std::sqrt((exact->expected - 1) * (exact->expected - 2) / 999);
  const double z = (static_cast<double>(exact->runs) - exact->expected + 0.5) / sd;
  EXPECT_NEAR(exact->p_few, 0.5 * std::erfc(-z / std::sqrt(2.0)), 2e-3);
}

TEST(Serial, KeepsItsLevelForIndependentValues) {
  Draw draw(62);
  for (const std::size_t count : {8u, 20u, 50u})  // exact, so never above
    expect_rate_at_most(0.05, 4000, [&] { return runs_test(draw.normals(count))->p <= 0.05; });
  expect_rate(0.05, 200, [&] { return runs_test(draw.normals(2000))->p <= 0.05; });
  expect_rate(0.05, 6000, [&] { return drift(draw.normals(8))->p_differs() < 0.05; });
}

TEST(Serial, FindsAutocorrelationAndDrift) {
  Draw draw(63);
  int by_runs = 0, by_line = 0;
  for (int i = 0; i < 200; ++i) {
    const Values values = auto_correlated(draw, 50, 0.9);
    by_runs += runs_test(values)->p_few < 0.01 ? 1 : 0;
    Values rising = draw.normals(20, 0, 0.01);  // 3 % over the series
    for (std::size_t k = 0; k < rising.size(); ++k) rising[k] += 0.03 * static_cast<double>(k) / 19;
    by_line += drift(rising)->p_above(0) < 0.01 ? 1 : 0;
  }
  EXPECT_GT(by_runs, 170);
  EXPECT_GT(by_line, 150);
}

}  // namespace
}  // namespace harness::stats
