#include "harness/stats/hypothesis/paired.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "harness/stats/constants.h"
#include "harness/stats/estimate/estimator.h"
#include "harness/stats/hypothesis/welch.h"

namespace harness::stats {

namespace {

double trimmed_log_mean(std::span<const double> samples) {
  std::vector<double> logs;
  logs.reserve(samples.size());
  for (const double sample : samples) {
    if (!(sample > 0) || !std::isfinite(sample)) return std::numeric_limits<double>::quiet_NaN();
    logs.push_back(std::log(sample));
  }
  return trimmed_mean(logs, trimmed_share);
}

}  // namespace

double process_log_ratio(std::span<const std::span<const double>> baseline,
                         std::span<const std::span<const double>> current) {
  double sum = 0;
  std::size_t count = 0;
  for (std::size_t i = 0; i < std::min(baseline.size(), current.size()); ++i) {
    if (baseline[i].empty() || current[i].empty()) continue;
    sum += trimmed_log_mean(current[i]) - trimmed_log_mean(baseline[i]);
    ++count;
  }
  return count == 0 ? std::numeric_limits<double>::quiet_NaN() : sum / static_cast<double>(count);
}

std::optional<TTest> one_sample(const Moments& differences, double known_variance) {
  if (!usable(differences) || !std::isfinite(known_variance) || known_variance < 0) return std::nullopt;
  const double part = differences.variance / static_cast<double>(differences.count);
  const double squared_error = part + known_variance;
  if (!std::isfinite(squared_error)) return std::nullopt;
  TTest test;
  test.difference = differences.mean;
  test.standard_error = std::sqrt(squared_error);
  test.degrees_of_freedom = squared_error > 0 ? satterthwaite(part / squared_error, differences.count, 0, 0)
                                              : static_cast<double>(differences.count - 1);
  return test;
}

std::optional<TTest> one_sample(std::span<const double> differences, double known_variance) {
  return one_sample(moments(differences), known_variance);
}

std::optional<TTest> paired(std::span<const double> baseline, std::span<const double> current,
                            double known_variance) {
  if (baseline.size() != current.size()) return std::nullopt;
  std::vector<double> differences(current.begin(), current.end());
  for (std::size_t i = 0; i < differences.size(); ++i) differences[i] -= baseline[i];
  return one_sample(differences, known_variance);
}

}  // namespace harness::stats
