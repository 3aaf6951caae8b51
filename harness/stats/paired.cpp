#include "harness/stats/paired.h"

#include <cmath>
#include <vector>

#include "harness/stats/welch.h"

namespace harness::stats {

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
