#include "harness/stats/hypothesis/t_test.h"

#include <algorithm>
#include <boost/math/distributions/students_t.hpp>
#include <cmath>

#include "harness/stats/estimate/estimator.h"

namespace harness::stats {
namespace {

// Overflow becomes infinity and a tail too small for a double becomes 0, instead of an exception.
using QuietPolicy =
    boost::math::policies::policy<boost::math::policies::overflow_error<boost::math::policies::ignore_error>,
                                  boost::math::policies::underflow_error<boost::math::policies::ignore_error>,
                                  boost::math::policies::promote_double<false>>;
using StudentsT = boost::math::students_t_distribution<double, QuietPolicy>;

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

bool usable(const Moments& side, std::size_t least) {
  return side.count >= least && std::isfinite(side.mean) && std::isfinite(side.variance) &&
         side.variance >= 0;
}

double students_t_tail(double degrees_of_freedom, double t) {
  if (std::isinf(t)) return t > 0 ? 0 : 1;
  return cdf(complement(StudentsT(degrees_of_freedom), t));
}

double students_t_critical(double degrees_of_freedom, double tail) {
  return quantile(complement(StudentsT(degrees_of_freedom), tail));
}

double TTest::p_above(double margin) const {
  if (standard_error == 0) return difference > margin ? 0 : 1;
  return students_t_tail(degrees_of_freedom, (difference - margin) / standard_error);
}

double TTest::p_below(double margin) const {
  if (standard_error == 0) return difference < margin ? 0 : 1;
  return students_t_tail(degrees_of_freedom, (margin - difference) / standard_error);
}

double TTest::p_outside(double margin) const {
  return std::max(p_above(-margin), p_below(margin));
}

double TTest::p_differs(double value) const {
  return std::min(1.0, 2 * std::min(p_above(value), p_below(value)));
}

Bounds TTest::interval(double confidence) const {
  if (standard_error == 0) return {difference, difference};
  const double reach = students_t_critical(degrees_of_freedom, (1 - confidence) / 2) * standard_error;
  return {difference - reach, difference + reach};
}

}  // namespace harness::stats
