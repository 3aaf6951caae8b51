#include "harness/stats/series/level_changes.h"

#include <algorithm>
#include <cmath>

#include "harness/stats/estimate/estimator.h"
#include "harness/stats/hypothesis/welch.h"

namespace harness::stats {
namespace {

constexpr std::size_t fenced = 5;          // values that quartiles need
constexpr double most_correlation = 0.99;  // beyond, the factor of the variance is a guess
constexpr double least_independent = 3;    // values

struct Stretch {
  std::vector<double> residuals;  // about its mean, within its fences
  double mean = 0;
};

Stretch stretch_of(std::span<const double> values) {
  Stretch stretch{{values.begin(), values.end()}, 0};
  if (values.size() >= fenced) {
    const Fences fences = tukey_fences(values);
    for (double& value : stretch.residuals) value = std::clamp(value, fences.far_low, fences.far_high);
  }
  stretch.mean = mean(stretch.residuals);
  for (double& value : stretch.residuals) value -= stretch.mean;
  return stretch;
}

// Sums over both sides: of squares, and of products of neighbours.
struct Sums {
  double squares = 0, neighbours = 0;

  void add(const std::vector<double>& residuals) {
    for (std::size_t i = 0; i < residuals.size(); ++i) {
      squares += residuals[i] * residuals[i];
      if (i > 0) neighbours += residuals[i] * residuals[i - 1];
    }
  }
};

double p_of_step(std::span<const double> before, std::span<const double> after) {
  const Stretch left = stretch_of(before), right = stretch_of(after);
  const double m = static_cast<double>(before.size()), n = static_cast<double>(after.size());
  Sums sums;
  sums.add(left.residuals);
  sums.add(right.residuals);
  const double step = std::abs(right.mean - left.mean);
  if (!(sums.squares > 0)) return step > 0 ? 0 : 1;
  const double found = sums.neighbours / sums.squares;
  const double correlation = std::clamp(found + (1 + 4 * found) / (m + n), 0.0, most_correlation);
  const double factor = (1 + correlation) / (1 - correlation);
  const double independent = std::max(least_independent, (m + n) / factor);
  const double variance = sums.squares / (m + n - 2) * factor * (1 / m + 1 / n);
  return 2 * students_t_tail(independent - 2, step / std::sqrt(variance));
}

}  // namespace

std::vector<ChangePoint> level_changes(std::span<const double> values, std::vector<ChangePoint> points,
                                       double alpha) {
  const auto segment = [&](std::size_t i) {  // that ends at point i, or at the end of the series
    const std::size_t from = i == 0 ? 0 : points[i - 1].index;
    return values.subspan(from, (i < points.size() ? points[i].index : values.size()) - from);
  };
  while (!points.empty()) {
    std::size_t weakest = 0;
    double largest = -1;
    for (std::size_t i = 0; i < points.size(); ++i) {
      const double p = p_of_step(segment(i), segment(i + 1));
      if (p > largest) {
        largest = p;
        weakest = i;
      }
    }
    if (largest <= alpha) break;
    points.erase(points.begin() + static_cast<std::ptrdiff_t>(weakest));
  }
  for (std::size_t i = 0; i < points.size(); ++i)
    points[i].change = welch(segment(i), segment(i + 1)).value();
  return points;
}

}  // namespace harness::stats
