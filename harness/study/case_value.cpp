#include "harness/study/case_value.h"

#include <algorithm>
#include <boost/math/distributions/normal.hpp>
#include <cmath>
#include <numeric>

namespace harness {
namespace {

// Chances of a slowdown in a case whose code is known to differ, and in one whose code nobody could read.
constexpr double chance_if_changed = 0.5, chance_if_unknown = 0.1;
// Days in which a library, a driver or a neighbour changes a case that nobody touched, on average.
constexpr double days_to_a_change = 1000;
constexpr Seconds least_cost = 1e-6;

double chance_of_change(const CaseOutlook& outlook) {
  const double untouched = 1 - (outlook.changed ? chance_if_changed : chance_if_unknown);
  return 1 - untouched * std::exp(-std::max(outlook.days, 0.0) / days_to_a_change);
}

// The power of a one-sided test against the margin, by the normal approximation.
double chance_to_find(const CaseOutlook& outlook) {
  if (!outlook.sd) return 1;
  const double error = *outlook.sd * std::sqrt(2.0 / std::max(outlook.processes, 1));
  if (!(error > 0)) return 1;
  const boost::math::normal standard;
  const double beyond = std::log1p(2 * outlook.margin) - std::log1p(outlook.margin);
  return boost::math::cdf(standard, beyond / error - boost::math::quantile(standard, 1 - outlook.alpha));
}

}  // namespace

double expected_information(const CaseOutlook& outlook) {
  return chance_of_change(outlook) * chance_to_find(outlook) / std::max(outlook.cost, least_cost);
}

std::vector<std::size_t> choose_cases(const std::vector<CaseOutlook>& cases, Seconds capacity) {
  std::vector<double> values;
  for (const CaseOutlook& one : cases) values.push_back(expected_information(one));
  std::vector<std::size_t> order(cases.size());
  std::iota(order.begin(), order.end(), 0);
  std::stable_sort(order.begin(), order.end(),
                   [&](std::size_t one, std::size_t other) { return values[one] > values[other]; });
  std::vector<std::size_t> chosen;
  for (const std::size_t place : order) {
    if (cases[place].cost > capacity) continue;
    capacity -= cases[place].cost;
    chosen.push_back(place);
  }
  return chosen;
}

}  // namespace harness
