#include "harness/stats/spread/moderation.h"

#include <algorithm>
#include <boost/math/distributions/fisher_f.hpp>
#include <boost/math/special_functions/digamma.hpp>
#include <boost/math/special_functions/trigamma.hpp>
#include <cmath>
#include <vector>

namespace harness::stats {
namespace {

// In doubles throughout: long doubles take several times as long and change the 14th digit.
using FisherF = boost::math::fisher_f_distribution<
    double, boost::math::policies::policy<boost::math::policies::promote_double<false>>>;

constexpr double improbable = 0.05;  // over all groups together

// A log variance without the bias of its degrees of freedom.
struct LogVariance {
  double level = 0;
  double value = 0;
  double noise = 0;  // its variance about log sigma^2
};

LogVariance log_variance_of(const GroupVariance& group) {
  const double half = group.degrees_of_freedom / 2;
  return {group.level, std::log(group.variance) - boost::math::digamma(half) + std::log(half),
          boost::math::trigamma(half)};
}

// The x > 0 whose trigamma is `value`: Newton's method on 1 / trigamma, which is convex and nearly linear
// (Smyth 2004, appendix).
double inverse_trigamma(double value) {
  if (value > 1e7) return 1 / std::sqrt(value);
  if (value < 1e-6) return 1 / value;
  double x = 0.5 + 1 / value;
  for (int step = 0; step < 50; ++step) {
    const double now = boost::math::trigamma(x);
    const double change = now * (1 - now / value) / boost::math::polygamma(2, x);
    x += change;
    if (-change < 1e-12 * x) break;
  }
  return x;
}

std::optional<VarianceTrend> fit(std::span<const GroupVariance> groups) {
  if (groups.size() < least_groups) return std::nullopt;
  const double count = static_cast<double>(groups.size());
  std::vector<LogVariance> logs;
  VarianceTrend trend;
  double noise = 0, mean = 0;
  for (const GroupVariance& group : groups) {
    logs.push_back(log_variance_of(group));
    noise += logs.back().noise / count;
    mean += logs.back().value / count;
    trend.center += group.level / count;
  }
  double squares = 0, products = 0;
  for (const LogVariance& one : logs) {
    squares += (one.level - trend.center) * (one.level - trend.center);
    products += (one.level - trend.center) * (one.value - mean);
  }
  const bool slopes = groups.size() >= groups_for_slope && squares > 0;
  if (slopes) trend.slope = products / squares;
  double residuals = 0;
  for (const LogVariance& one : logs) {
    const double residual = one.value - mean - trend.slope * (one.level - trend.center);
    residuals += residual * residual;
  }
  const double left = count - (slopes ? 2 : 1);
  const double spread = residuals / left;
  const double excess = spread * (1 + std::sqrt(2 / left)) - noise;
  trend.degrees_of_freedom = excess > 0 ? std::min(2 * inverse_trigamma(excess), count) : count;
  const double half = trend.degrees_of_freedom / 2;
  trend.intercept = mean + boost::math::digamma(half) - std::log(half);
  return trend;
}

}  // namespace

double VariancePrior::tail(double of_group, double own) const {
  if (!(variance > 0)) return of_group > 0 ? 0 : 1;
  const FisherF expected(own, degrees_of_freedom);
  return cdf(complement(expected, of_group / variance));
}

VariancePrior VarianceTrend::at(double level) const {
  return {std::exp(intercept + slope * (level - center)), degrees_of_freedom};
}

std::optional<VarianceTrend> fit_variances(std::span<const GroupVariance> groups) {
  std::vector<GroupVariance> used;
  for (const GroupVariance& group : groups)
    if (group.variance > 0 && std::isfinite(group.variance) && std::isfinite(group.level) &&
        group.degrees_of_freedom > 0)
      used.push_back(group);
  const std::optional<VarianceTrend> first = fit(used);
  if (!first) return std::nullopt;
  const double limit = improbable / static_cast<double>(used.size());
  const auto out = [&](const GroupVariance& group) {
    return first->at(group.level).tail(group.variance, group.degrees_of_freedom) < limit;
  };
  if (std::none_of(used.begin(), used.end(), out)) return first;
  std::erase_if(used, out);
  const std::optional<VarianceTrend> second = fit(used);
  return second ? second : first;
}

}  // namespace harness::stats
