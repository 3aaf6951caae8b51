#include "harness/stats/hypothesis/welch.h"

#include <cmath>
#include <limits>

namespace harness::stats {
namespace {

bool known(double variance) {
  return std::isfinite(variance) && variance >= 0;
}

}  // namespace

// From shares of the whole, so that tiny variances do not underflow when squared.
double satterthwaite(double share_one, std::size_t count_one, double share_other, std::size_t count_other) {
  const auto part = [](double share, std::size_t count) {
    return count < 2 ? 0 : share * share / static_cast<double>(count - 1);
  };
  const double parts = part(share_one, count_one) + part(share_other, count_other);
  return parts > 0 ? 1 / parts : std::numeric_limits<double>::infinity();
}

std::optional<WelchTest> welch(const Moments& baseline, const Moments& current,
                               double known_variance_baseline, double known_variance_current) {
  if (!usable(baseline) || !usable(current) || !known(known_variance_baseline) ||
      !known(known_variance_current))
    return std::nullopt;
  const double part_baseline = baseline.variance / static_cast<double>(baseline.count);
  const double part_current = current.variance / static_cast<double>(current.count);
  const double squared_error =
      part_baseline + known_variance_baseline + part_current + known_variance_current;
  WelchTest test;
  test.difference = current.mean - baseline.mean;
  if (!std::isfinite(test.difference) || !std::isfinite(squared_error)) return std::nullopt;
  test.standard_error = std::sqrt(squared_error);
  test.degrees_of_freedom = squared_error > 0 ? satterthwaite(part_baseline / squared_error, baseline.count,
                                                              part_current / squared_error, current.count)
                                              : static_cast<double>(baseline.count + current.count - 2);
  return test;
}

std::optional<WelchTest> welch(std::span<const double> baseline, std::span<const double> current,
                               double known_variance_baseline, double known_variance_current) {
  return welch(moments(baseline), moments(current), known_variance_baseline, known_variance_current);
}

}  // namespace harness::stats
