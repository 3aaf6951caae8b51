#include "harness/stats/estimate/mean_interval.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "harness/stats/estimate/estimator.h"
#include "harness/stats/hypothesis/t_test.h"
#include "harness/stats/series/serial.h"

namespace harness::stats {
namespace {

constexpr double confidence = 0.95;
constexpr double strongest_autocorrelation = 0.95;
constexpr double unknown = std::numeric_limits<double>::infinity();

}  // namespace

double relative_width_of_mean(std::span<const double> values) {
  if (std::any_of(values.begin(), values.end(), [](double value) { return !std::isfinite(value); }))
    return unknown;
  if (values.size() < 3) return unknown;
  const Fences fences = tukey_fences(values);
  std::vector<double> kept;
  kept.reserve(values.size());
  std::copy_if(values.begin(), values.end(), std::back_inserter(kept),
               [&](double value) { return value >= fences.far_low && value <= fences.far_high; });
  if (kept.size() < 3) return unknown;
  const Moments all = moments(kept);
  if (!(all.mean > 0)) return unknown;
  const double shared = std::clamp(autocorrelation(kept).value_or(0), 0.0, strongest_autocorrelation);
  const double independent = std::max(2.0, static_cast<double>(kept.size()) * (1 - shared) / (1 + shared));
  const double reach =
      students_t_critical(independent - 1, (1 - confidence) / 2) * std::sqrt(all.variance / independent);
  return 2 * reach / all.mean;
}

}  // namespace harness::stats
