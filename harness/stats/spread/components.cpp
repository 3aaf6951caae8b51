#include "harness/stats/spread/components.h"

#include <algorithm>
#include <boost/math/distributions/chi_squared.hpp>
#include <boost/math/distributions/fisher_f.hpp>

namespace harness::stats {
namespace {

// A mean square: squares over degrees of freedom.
struct MeanSquare {
  double squares = 0;
  double freedom = 0;
  [[nodiscard]] double value() const { return freedom > 0 ? squares / freedom : 0; }

  void add(const Moments& moments) {
    const double freed = static_cast<double>(moments.count) - 1;
    squares += moments.variance * freed;
    freedom += freed;
  }
};

// The chi-squared quantile over its degrees of freedom.
double scaled_chi_squared(double freedom, double probability) {
  return boost::math::quantile(boost::math::chi_squared(freedom), probability) / freedom;
}

Component within_component(const MeanSquare& square, double tail) {
  const double value = square.value();
  return {value,
          square.freedom,
          {value / scaled_chi_squared(square.freedom, 1 - tail),
           value / scaled_chi_squared(square.freedom, tail)}};
}

// Between-group variance: upper - lower / divisor.
Component excess(const MeanSquare& upper, const MeanSquare& lower, double divisor, double tail) {
  const double part = lower.value() / divisor;
  const boost::math::fisher_f ratio(upper.freedom, lower.freedom);
  const double lo = (upper.value() - part * boost::math::quantile(ratio, 1 - tail)) /
                    scaled_chi_squared(upper.freedom, 1 - tail);
  const double hi =
      (upper.value() - part * boost::math::quantile(ratio, tail)) / scaled_chi_squared(upper.freedom, tail);
  return {std::max(0.0, upper.value() - part), upper.freedom, {std::max(0.0, lo), std::max(0.0, hi)}};
}

}  // namespace

std::optional<Components> variance_components(std::span<const std::vector<std::vector<double>>> groups,
                                              double confidence) {
  MeanSquare within;
  MeanSquare between;
  std::vector<double> group_means;
  double sessions = 0, reciprocals = 0;           // for the harmonic mean of session sizes
  double groups_seen = 0, group_reciprocals = 0;  // of group sizes
  for (const std::vector<std::vector<double>>& group : groups) {
    std::vector<double> means;
    for (const std::vector<double>& session : group) {
      if (session.empty()) continue;
      const Moments moments = stats::moments(session);
      if (!usable(moments, 1)) return std::nullopt;
      within.add(moments);
      means.push_back(moments.mean);
      sessions += 1;
      reciprocals += 1 / static_cast<double>(session.size());
    }
    if (means.empty()) continue;
    const Moments of_means = stats::moments(means);
    between.add(of_means);
    group_means.push_back(of_means.mean);
    groups_seen += 1;
    group_reciprocals += 1 / static_cast<double>(means.size());
  }
  if (!(within.freedom > 0)) return std::nullopt;
  const double tail = (1 - confidence) / 2;
  Components found;
  found.within = within_component(within, tail);
  if (between.freedom > 0) found.between = excess(between, within, sessions / reciprocals, tail);
  if (group_means.size() < 2) return found;
  MeanSquare among;
  among.add(stats::moments(group_means));
  found.among = between.freedom > 0 ? excess(among, between, groups_seen / group_reciprocals, tail)
                                    : excess(among, within, sessions / reciprocals, tail);
  return found;
}

double moderated_variance(double variance, double degrees_of_freedom, double usual, double weight) {
  const double total = degrees_of_freedom + weight;
  return total > 0 ? (weight * usual + degrees_of_freedom * variance) / total : usual;
}

}  // namespace harness::stats
