#include "harness/stats/estimate/ratio.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "harness/stats/constants.h"
#include "harness/stats/hypothesis/welch.h"

namespace harness::stats {
namespace {

// Two means with the variances and covariance of these means.
struct Means {
  double baseline, current;
  double variance_baseline, variance_current, covariance;
};

// Solves a r^2 - 2 h r + c <= 0 where a > 0 means that the baseline's mean differs from nought.
std::optional<RatioInterval> solve(const Means& means, double degrees_of_freedom, double confidence) {
  const double t = students_t_critical(degrees_of_freedom, (1 - confidence) / 2), square = t * t;
  RatioInterval result;
  result.ratio = means.current / means.baseline;
  result.degrees_of_freedom = degrees_of_freedom;
  const double a = means.baseline * means.baseline - square * means.variance_baseline;
  const double h = means.baseline * means.current - square * means.covariance;
  const double c = means.current * means.current - square * means.variance_current;
  if (!std::isfinite(a) || !std::isfinite(h) || !std::isfinite(c)) return std::nullopt;
  // (h^2 - a c) / t^2, in a form that does not cancel when the variances are small.
  const double spread =
      means.variance_baseline * means.current * means.current -
      2 * means.covariance * means.baseline * means.current +
      means.variance_current * means.baseline * means.baseline -
      square * (means.variance_baseline * means.variance_current - means.covariance * means.covariance);
  if (a > 0) {
    const double reach = t * std::sqrt(std::max(spread, 0.0));
    result.lo = (h - reach) / a;
    result.hi = (h + reach) / a;
  } else if (a == 0 && h != 0) {
    result.lo = h > 0 ? c / (2 * h) : -infinity;
    result.hi = h > 0 ? infinity : c / (2 * h);
  } else if (a < 0 && spread > 0) {
    result.shape = RatioShape::two_rays;
    const double reach = t * std::sqrt(spread);
    result.lo = (h + reach) / a;
    result.hi = (h - reach) / a;
  } else {
    result.shape = RatioShape::everything;
    result.lo = -infinity;
    result.hi = infinity;
  }
  return result;
}

double part(const Moments& side) {
  return side.variance / static_cast<double>(side.count);
}

}  // namespace

std::optional<RatioInterval> fieller(const Moments& baseline, const Moments& current, double confidence) {
  if (!usable(baseline) || !usable(current) || baseline.mean == 0) return std::nullopt;
  const double ratio = current.mean / baseline.mean;
  const double from_baseline = ratio * ratio * part(baseline), from_current = part(current);
  const double all = from_baseline + from_current;
  if (!std::isfinite(all)) return std::nullopt;
  const double dof =
      all > 0 ? satterthwaite(from_baseline / all, baseline.count, from_current / all, current.count)
              : static_cast<double>(baseline.count + current.count - 2);
  return solve({baseline.mean, current.mean, part(baseline), part(current), 0}, dof, confidence);
}

std::optional<RatioInterval> fieller(std::span<const double> baseline, std::span<const double> current,
                                     double confidence) {
  return fieller(moments(baseline), moments(current), confidence);
}

std::optional<RatioInterval> fieller_paired(std::span<const double> baseline, std::span<const double> current,
                                            double confidence) {
  const Moments one = moments(baseline), other = moments(current);
  if (one.count != other.count || !usable(one) || !usable(other) || one.mean == 0) return std::nullopt;
  double products = 0;
  for (std::size_t i = 0; i < baseline.size(); ++i)
    products += (baseline[i] - one.mean) * (current[i] - other.mean);
  const double count = static_cast<double>(one.count);
  return solve({one.mean, other.mean, part(one), part(other), products / (count - 1) / count}, count - 1,
               confidence);
}

std::optional<TTest> log_ratio(const Moments& baseline, const Moments& current) {
  if (!(baseline.mean > 0) || !(current.mean > 0)) return std::nullopt;
  const auto relative = [](const Moments& side) {
    return Moments{side.count, 0, side.variance / side.mean / side.mean};
  };
  std::optional<TTest> test = welch(relative(baseline), relative(current));
  const double difference = std::log(current.mean / baseline.mean);
  if (!test || !std::isfinite(difference)) return std::nullopt;
  test->difference = difference;
  return test;
}

std::optional<TTest> log_ratio(std::span<const double> baseline, std::span<const double> current) {
  return log_ratio(moments(baseline), moments(current));
}

}  // namespace harness::stats
