#include "harness/stats/welch.h"

#include <algorithm>
#include <boost/math/distributions/students_t.hpp>
#include <cmath>
#include <limits>

#include "harness/stats/estimator.h"

namespace harness::stats {
namespace {

// Overflow becomes infinity and a tail too small for a double becomes 0, instead of an exception.
using Policy =
    boost::math::policies::policy<boost::math::policies::overflow_error<boost::math::policies::ignore_error>,
                                  boost::math::policies::underflow_error<boost::math::policies::ignore_error>,
                                  boost::math::policies::promote_double<false>>;
using StudentsT = boost::math::students_t_distribution<double, Policy>;

bool usable(const Moments& side, double known_variance) {
  return side.count >= 2 && std::isfinite(side.mean) && std::isfinite(side.variance) && side.variance >= 0 &&
         std::isfinite(known_variance) && known_variance >= 0;
}

// Computed with shares of the whole, so that tiny variances do not underflow when squared.
double satterthwaite(const Moments& baseline, const Moments& current, double squared_error) {
  const auto part = [&](const Moments& side) {
    const double count = static_cast<double>(side.count);
    const double share = side.variance / count / squared_error;
    return share * share / (count - 1);
  };
  const double parts = part(baseline) + part(current);
  return parts > 0 ? 1 / parts : std::numeric_limits<double>::infinity();
}

}  // namespace

Moments moments(std::span<const double> values) {
  Moments result;
  result.count = values.size();
  result.mean = mean(values);
  if (values.size() >= 2) {
    const double sd = standard_deviation(values);
    result.variance = sd * sd;
  }
  return result;
}

double students_t_tail(double degrees_of_freedom, double t) {
  if (std::isinf(t)) return t > 0 ? 0 : 1;
  return cdf(complement(StudentsT(degrees_of_freedom), t));
}

double students_t_critical(double degrees_of_freedom, double tail) {
  return quantile(complement(StudentsT(degrees_of_freedom), tail));
}

std::optional<WelchTest> welch(const Moments& baseline, const Moments& current,
                               double known_variance_baseline, double known_variance_current) {
  if (!usable(baseline, known_variance_baseline) || !usable(current, known_variance_current))
    return std::nullopt;
  const double squared_error = baseline.variance / static_cast<double>(baseline.count) +
                               known_variance_baseline +
                               current.variance / static_cast<double>(current.count) + known_variance_current;
  WelchTest test;
  test.difference = current.mean - baseline.mean;
  if (!std::isfinite(test.difference) || !std::isfinite(squared_error)) return std::nullopt;
  test.standard_error = std::sqrt(squared_error);
  test.degrees_of_freedom = squared_error > 0 ? satterthwaite(baseline, current, squared_error)
                                              : static_cast<double>(baseline.count + current.count - 2);
  return test;
}

std::optional<WelchTest> welch(std::span<const double> baseline, std::span<const double> current,
                               double known_variance_baseline, double known_variance_current) {
  return welch(moments(baseline), moments(current), known_variance_baseline, known_variance_current);
}

double WelchTest::p_above(double margin) const {
  if (standard_error == 0) return difference > margin ? 0 : 1;
  return students_t_tail(degrees_of_freedom, (difference - margin) / standard_error);
}

double WelchTest::p_below(double margin) const {
  if (standard_error == 0) return difference < margin ? 0 : 1;
  return students_t_tail(degrees_of_freedom, (margin - difference) / standard_error);
}

double WelchTest::p_outside(double margin) const {
  return std::max(p_above(-margin), p_below(margin));
}

Bounds WelchTest::interval(double confidence) const {
  if (standard_error == 0) return {difference, difference};
  const double reach = students_t_critical(degrees_of_freedom, (1 - confidence) / 2) * standard_error;
  return {difference - reach, difference + reach};
}

}  // namespace harness::stats
