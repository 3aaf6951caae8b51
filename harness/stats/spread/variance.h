// Whether two sides vary differently: a change of spread that a comparison of means does not see.
//
// Pure functions; any thread may call them.
#pragma once

#include <optional>
#include <span>

#include "harness/stats/hypothesis/t_test.h"

namespace harness::stats {

// The F test of two variances (Fisher 1924; Snedecor 1934): F = s_c^2 / s_b^2 with P_c - 1 and P_b - 1
// degrees of freedom. Exact for normal values and misled by heavy tails.
struct VarianceTest {
  double ratio = 1;  // current / baseline; infinite when only the baseline is constant
  double degrees_of_freedom_baseline = 0;
  double degrees_of_freedom_current = 0;
  double p = 1;           // two-sided, for H0 "the ratio is 1": twice the smaller tail
  bool constant = false;  // a side does not vary: p is 0 when the other does, 1 when neither does
  // Two-sided interval of the ratio at `confidence` in (0, 1); {ratio, ratio} when a side is constant.
  [[nodiscard]] Bounds interval(double confidence) const;
};

// std::nullopt with fewer than two values on a side, or when a value is not finite.
std::optional<VarianceTest> f_test(const Moments& baseline, const Moments& current);
std::optional<VarianceTest> f_test(std::span<const double> baseline, std::span<const double> current);

}  // namespace harness::stats
