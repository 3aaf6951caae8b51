#include "harness/stats/hypothesis/contrast.h"

#include <algorithm>
#include <cmath>

#include "harness/stats/constants.h"

namespace harness::stats {
namespace {

TTest with_variance(const Contrast& contrast, double variance, double degrees_of_freedom) {
  const double squared_error = variance + contrast.known;
  const double share = squared_error > 0 ? variance / squared_error : 1;
  return {contrast.difference, std::sqrt(squared_error),
          share > 0 ? degrees_of_freedom / (share * share) : infinity};
}

double inverse(double count) {
  return count > 0 ? 1 / count : 0;
}

double share(const Part& part) {
  return part.variance * inverse(part.count);
}

Part part_of(const Estimate& one) {
  return {one.variance, one.count, one.degrees_of_freedom};
}

// From shares of the whole, so that tiny variances do not underflow when squared.
double freedom_of(const Part& baseline, const Part& current) {
  const double whole = share(baseline) + share(current);
  if (!(whole > 0)) return baseline.degrees_of_freedom + current.degrees_of_freedom;
  const auto term = [&](const Part& part) {
    const double of_whole = share(part) / whole;
    return of_whole > 0 ? of_whole * of_whole / part.degrees_of_freedom : 0;
  };
  return 1 / (term(baseline) + term(current));
}

}  // namespace

Estimate estimate_of(const Moments& values, double known) {
  const double count = static_cast<double>(values.count);
  return {values.mean, values.variance, count, count - 1, known};
}

Contrast contrast(const Estimate& baseline, const Estimate& current) {
  return {current.mean - baseline.mean, part_of(baseline), part_of(current), baseline.known + current.known};
}

Contrast contrast(const Estimate& differences) {
  return {differences.mean, {}, part_of(differences), differences.known};
}

double Contrast::variance() const {
  return share(baseline) + share(current);
}

double Contrast::scale() const {
  return inverse(baseline.count) + inverse(current.count);
}

double Contrast::degrees_of_freedom() const {
  const double own = freedom_of(baseline, current);
  if (!(baseline.count > 0)) return own;
  Part one = baseline, other = current;
  one.variance = other.variance = 1;
  return std::min(own, freedom_of(one, other));
}

TTest test_of(const Contrast& contrast, double usual_freedom) {
  return with_variance(contrast, contrast.variance(), usual_freedom + contrast.degrees_of_freedom());
}

TTest test_of(const Contrast& contrast) {
  return test_of(contrast, 0);
}

TTest test_of(const Contrast& contrast, const VariancePrior& prior) {
  const double usual = prior.variance * contrast.scale();
  const double own = contrast.degrees_of_freedom();
  const double freedom = prior.degrees_of_freedom + own;
  const double variance = (prior.degrees_of_freedom * usual + own * contrast.variance()) / freedom;
  return with_variance(contrast, variance, freedom);
}

}  // namespace harness::stats
