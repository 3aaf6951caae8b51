#include "harness/stats/estimate/process_estimator.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <random>

#include "reference.h"

namespace harness::stats {
namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();
const double nan_value = std::nan("");

double value_of_one_placement(const std::vector<double>& samples) {
  return process_log_value(std::vector<std::vector<double>>{samples});
}

std::size_t count_far(const std::vector<double>& samples) {
  const Fences fences = tukey_fences(samples);
  return static_cast<std::size_t>(std::count_if(samples.begin(), samples.end(), [&](double sample) {
    return sample < fences.far_low || sample > fences.far_high;
  }));
}

TEST(Location, AgreesWithNumpyAndScipy) {
  for (const auto& one : reference("location.json")) {
    const auto values = one["values"].get<std::vector<double>>();
    expect_close(mean(values), one["mean"], 1e-9, 1e-14);
    if (one["sd"].is_null())
      EXPECT_TRUE(std::isnan(standard_deviation(values)));
    else
      expect_close(standard_deviation(values), one["sd"]);
    const auto fractions = one["fractions"].get<std::vector<double>>();
    const auto quantiles = one["quantiles"].get<std::vector<double>>();
    std::vector<double> sorted = values, shuffled = values;
    std::sort(sorted.begin(), sorted.end());
    const std::vector<double> in_place = quantiles_in_place(shuffled, fractions);
    for (std::size_t i = 0; i < fractions.size(); ++i) {
      expect_close(quantile(values, fractions[i]), quantiles[i]);
      expect_close(quantile_sorted(sorted, fractions[i]), quantiles[i]);
      expect_close(in_place[i], quantiles[i]);
    }
    for (const auto& [share, expected] : one["trimmed"].items())
      expect_close(trimmed_mean(values, std::stod(share)), expected, 1e-9, 1e-14);
    expect_close(median(values), one["median"]);
    if (!one.contains("log_value")) continue;
    expect_close(value_of_one_placement(values), one["log_value"], 1e-12);
    ProcessEstimator estimator;
    estimator.begin(1);
    estimator.add_placement(0, values);
    const OutlierCount outliers = estimator.finish().front().outliers;
    EXPECT_EQ(outliers.mild, one["mild"].get<std::size_t>());
    EXPECT_EQ(outliers.far, one["far"].get<std::size_t>());
  }
}

TEST(Location, OfNothingIsNotANumber) {
  const std::vector<double> nothing;
  EXPECT_TRUE(std::isnan(mean(nothing)));
  EXPECT_TRUE(std::isnan(standard_deviation(nothing)));
  EXPECT_TRUE(std::isnan(quantile(nothing, 0.5)));
  EXPECT_TRUE(std::isnan(quantile_sorted(nothing, 0.5)));
  EXPECT_TRUE(std::isnan(trimmed_mean(nothing, 0.1)));
  EXPECT_TRUE(std::isnan(median(nothing)));
  EXPECT_TRUE(std::isnan(mean_log(nothing)));
  EXPECT_TRUE(std::isnan(process_log_value({})));
  EXPECT_TRUE(std::isnan(process_log_value(std::vector<std::vector<double>>{{}, {}})));
}

TEST(Location, NotANumberInIsNotANumberOut) {
  const std::vector<double> values{1, nan_value, 3, 2, 5};
  EXPECT_TRUE(std::isnan(mean(values)));
  EXPECT_TRUE(std::isnan(standard_deviation(values)));
  EXPECT_TRUE(std::isnan(quantile(values, 0.5)));
  EXPECT_TRUE(std::isnan(trimmed_mean(values, 0.1)));
  EXPECT_TRUE(std::isnan(median(values)));
  EXPECT_TRUE(std::isnan(tukey_fences(values).far_high));
  EXPECT_TRUE(std::isnan(quantile(std::vector{1.0, 2.0}, nan_value)));
}

TEST(Location, InfinitiesDoNotTurnIntoNotANumberBetweenEqualNeighbours) {
  const std::vector<double> values{1, infinity, infinity, infinity};
  EXPECT_EQ(quantile(values, 0.5), infinity);
  EXPECT_EQ(quantile(values, 0), 1);
  EXPECT_EQ(mean(values), infinity);
}

TEST(Location, OfTenMillionValuesIsExact) {
  constexpr std::size_t count = 10'000'000;  // 0 ... n - 1 in an order that jumps about
  std::vector<double> values(count);
  for (std::size_t i = 0; i < count; ++i) values[i] = static_cast<double>(i * 7'654'321 % count);
  const double n = count;
  EXPECT_DOUBLE_EQ(mean(values), (n - 1) / 2);
  expect_close(standard_deviation(values), std::sqrt(n * (n + 1) / 12), 1e-12);
  EXPECT_DOUBLE_EQ(median(values), (n - 1) / 2);
}

TEST(Location, FractionsOutsideAreClamped) {
  const std::vector<double> values{3, 1, 2};
  EXPECT_EQ(quantile(values, -1), 1);
  EXPECT_EQ(quantile(values, 7), 3);
  EXPECT_TRUE(std::isnan(trimmed_mean(values, 0.5)));
}

TEST(Location, OfLargeOffsetsKeepsItsDigits) {
  const std::vector<double> values{1e9 + 1, 1e9 + 2, 1e9 + 3};
  EXPECT_DOUBLE_EQ(mean(values), 1e9 + 2);
  EXPECT_DOUBLE_EQ(standard_deviation(values), 1);
}

TEST(MeanLog, AgreesWithTheLogarithmOfEach) {
  std::mt19937_64 random(3);
  std::uniform_real_distribution<double> exponent(-300, 300);
  for (const std::size_t count : {1u, 2u, 40u, 999u, 1000u, 1001u, 5000u}) {
    std::vector<double> values;
    double sum = 0;
    for (std::size_t i = 0; i < count; ++i) {
      values.push_back(std::pow(10.0, exponent(random)));
      sum += std::log(values.back());
    }
    EXPECT_NEAR(mean_log(values), sum / static_cast<double>(count), 1e-10) << count;
  }
}

TEST(MeanLog, TakesSubnormalsAndRefusesWhatHasNoLogarithm) {
  const double tiny = std::numeric_limits<double>::denorm_min();
  EXPECT_DOUBLE_EQ(mean_log(std::vector{tiny, 1.0}), std::log(tiny) / 2);
  for (const double bad : {0.0, -0.0, -1.0, -tiny, infinity, -infinity, nan_value, -nan_value})
    EXPECT_TRUE(std::isnan(mean_log(std::vector{1.0, bad}))) << bad;
}

// The definition, written out plainly: sort, fence, trim, average logs.
double plain_log_value(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  const Fences fences = tukey_fences(values);
  std::erase_if(values, [&](double v) { return v < fences.far_low || v > fences.far_high; });
  for (double& value : values) value = std::log(value);
  return trimmed_mean(values, 0.1);
}

TEST(ProcessLogValue, IsTheDefinitionForAnySizeTiesAndTails) {
  std::mt19937_64 random(11);
  std::normal_distribution<double> normal(100, 3);
  std::uniform_real_distribution<double> uniform(0, 1);
  for (int round = 0; round < 4000; ++round) {
    std::vector<double> values(1 + random() % 70);
    const bool quantised = round % 3 == 0;
    const double low_tail = 0.3 * uniform(random), high_tail = 0.3 * uniform(random);
    for (double& value : values) {
      value = quantised ? std::round(normal(random) / 4) * 4 : normal(random);
      const double kind = uniform(random);
      if (kind < low_tail) value /= 3;
      if (kind > 1 - high_tail) value *= 3;
    }
    ASSERT_NEAR(value_of_one_placement(values), plain_log_value(values), 1e-12)
        << "round " << round << ", " << values.size() << " values";
  }
}

TEST(ProcessLogValue, AveragesPlacementsNotSamples) {
  const std::vector<std::vector<double>> placements{{1, 1, 1, 1, 1, 1, 1, 1}, {}, {std::exp(2.0)}};
  EXPECT_DOUBLE_EQ(process_log_value(placements), 1);
}

TEST(ProcessLogValue, LeavesOutWhatLiesBeyondTheFarFence) {
  std::vector<double> values{10, 10.1, 10.2, 9.9, 9.8, 10.05, 9.95, 10.15};
  const double before = value_of_one_placement(values);
  values.push_back(1000);
  EXPECT_NEAR(value_of_one_placement(values), before, 1e-12);
}

TEST(ProcessLogValue, ScalesWithItsSamples) {
  std::mt19937_64 random(5);
  std::lognormal_distribution<double> draw(3, 0.2);
  std::vector<double> values(50), scaled(50);
  for (std::size_t i = 0; i < 50; ++i) scaled[i] = 1000 * (values[i] = draw(random));
  EXPECT_NEAR(value_of_one_placement(scaled) - value_of_one_placement(values), std::log(1000), 1e-12);
}

TEST(ProcessLogValue, OfSamplesWithoutALogarithmIsNotANumber) {
  for (const double bad : {0.0, -1.0, nan_value, infinity, -infinity})
    EXPECT_TRUE(std::isnan(process_log_value(std::vector<std::vector<double>>{{1, 2, 3}, {1, bad}}))) << bad;
}

TEST(ProcessLogValue, OfExtremeButPositiveSamplesIsFinite) {
  EXPECT_TRUE(
      std::isfinite(process_log_value(std::vector<std::vector<double>>{{1e-320, 1e308, 1, 5, 1e300}})));
}

TEST(ProcessEstimator, CountsOutliersByThePlacementTheyAreIn) {
  ProcessEstimator estimator;
  for (int again = 0; again < 2; ++again) {  // what an earlier series left behind must not count
    estimator.begin(2);
    estimator.add_placement(1, std::vector{10.0, 10.1, 10.2, 9.9, 9.8, 10.05, 9.95, 10.15, 11.0, 10.6});
    estimator.add_placement(1, std::vector{20.0, 20.1, 20.2, 19.9, 19.8, 20.05, 19.95, 20.15});
    const auto estimates = estimator.finish();
    EXPECT_EQ(estimates[0].samples, 0u);
    EXPECT_TRUE(std::isnan(estimates[0].log_value));
    EXPECT_EQ(estimates[1].samples, 18u);
    EXPECT_EQ(estimates[1].outliers.mild, 1U);
    EXPECT_EQ(estimates[1].outliers.far, 1U);
  }
}

TEST(ProcessEstimator, KeepsTheLanesOfUnequalPlacementsApart) {
  std::mt19937_64 random(21);
  std::lognormal_distribution<double> draw(3, 0.1);
  ProcessEstimator estimator;
  for (int round = 0; round < 50; ++round) {
    std::vector<std::vector<std::vector<double>>> processes(1 + random() % 6);
    estimator.begin(processes.size());
    for (std::size_t p = 0; p < processes.size(); ++p)
      for (std::size_t i = random() % 7; i > 0; --i) {
        auto& samples = processes[p].emplace_back(random() % 2 == 0 ? random() % 300 : random() % 10);
        for (double& sample : samples) sample = draw(random);
        if (random() % 20 == 0) samples.push_back(-1);
        estimator.add_placement(p, samples);
      }
    const auto estimates = estimator.finish();
    for (std::size_t p = 0; p < processes.size(); ++p) {
      double sum = 0;
      std::size_t count = 0, outliers = 0;
      for (const auto& samples : processes[p])
        if (!samples.empty()) {
          sum += *std::min_element(samples.begin(), samples.end()) < 0 ? nan_value : plain_log_value(samples);
          outliers += std::isnan(sum) ? 0 : count_far(samples);
          ++count;
        }
      const double expected = count == 0 ? nan_value : sum / static_cast<double>(count);
      ASSERT_EQ(std::isnan(estimates[p].log_value), std::isnan(expected));
      if (std::isnan(expected)) continue;
      ASSERT_NEAR(estimates[p].log_value, expected, 1e-12);
      ASSERT_EQ(estimates[p].outliers.far, outliers);
    }
  }
}

TEST(ProcessEstimator, TakesAMillionSamples) {
  std::mt19937_64 random(1);
  std::normal_distribution<double> draw(100, 1);
  std::vector<double> values(1'000'000);
  for (double& value : values) value = draw(random);
  EXPECT_NEAR(value_of_one_placement(values), std::log(100), 1e-4);
}

}  // namespace
}  // namespace harness::stats
