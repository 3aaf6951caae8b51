#include "harness/stats/spread/variance.h"

#include <algorithm>
#include <boost/math/special_functions/beta.hpp>
#include <cmath>
#include <limits>

#include "harness/stats/constants.h"

namespace harness::stats {
namespace {

// In doubles throughout: long doubles take several times as long and change the 14th digit.

// P(F > value), by the regularised incomplete beta function of whichever argument is accurate.
double f_tail(double numerator_dof, double denominator_dof, double value) {
  const double weighted = numerator_dof * value;
  if (!std::isfinite(weighted)) return 0;
  return boost::math::ibeta(denominator_dof / 2, numerator_dof / 2,
                            denominator_dof / (denominator_dof + weighted), in_doubles);
}

// The value that F exceeds with probability `tail`.
double f_critical(double numerator_dof, double denominator_dof, double tail) {
  double rest = 0;  // 1 - x without cancellation
  const double x = boost::math::ibeta_inv(denominator_dof / 2, numerator_dof / 2, tail, &rest, in_doubles);
  return denominator_dof * rest / (numerator_dof * x);
}

}  // namespace

Bounds VarianceTest::interval(double confidence) const {
  if (constant) return {ratio, ratio};
  const double tail = (1 - confidence) / 2;
  return {ratio / f_critical(degrees_of_freedom_current, degrees_of_freedom_baseline, tail),
          ratio * f_critical(degrees_of_freedom_baseline, degrees_of_freedom_current, tail)};
}

std::optional<VarianceTest> f_test(const Moments& baseline, const Moments& current) {
  if (!usable(baseline) || !usable(current)) return std::nullopt;
  VarianceTest test;
  test.degrees_of_freedom_baseline = static_cast<double>(baseline.count - 1);
  test.degrees_of_freedom_current = static_cast<double>(current.count - 1);
  if (baseline.variance == 0 || current.variance == 0) {
    test.constant = true;
    if (baseline.variance == current.variance) return test;
    test.ratio = current.variance == 0 ? 0 : std::numeric_limits<double>::infinity();
    test.p = 0;
    return test;
  }
  test.ratio = current.variance / baseline.variance;
  const double above = f_tail(test.degrees_of_freedom_current, test.degrees_of_freedom_baseline, test.ratio);
  const double below = f_tail(test.degrees_of_freedom_baseline, test.degrees_of_freedom_current,
                              baseline.variance / current.variance);
  test.p = std::min(1.0, 2 * std::min(above, below));
  return test;
}

std::optional<VarianceTest> f_test(std::span<const double> baseline, std::span<const double> current) {
  return f_test(moments(baseline), moments(current));
}

}  // namespace harness::stats
