// Whether values rise or fall steadily in the order they were taken: within a process or across
// processes.
//
// Pure functions; any thread may call them.
#pragma once

#include <optional>
#include <span>

#include "harness/stats/hypothesis/t_test.h"

namespace harness::stats {

// Least squares of value on position 0, 1, ...: `difference` is the slope per step, with n - 2 degrees
// of freedom. p_differs() is the p of "no drift" for independent normal values; multiply by n - 1 for
// the drift over the whole series. std::nullopt below three values or when a value is not finite.
std::optional<TTest> drift(std::span<const double> values);

// Mann (1945) and Kendall (1955): S = pairs that rise - pairs that fall, whatever the distribution. p
// is exact up to 50 values without ties; otherwise normal with continuity correction and the variance
// for ties, [n(n-1)(2n+5) - sum t(t-1)(2t+5)] / 18.
struct MannKendall {
  double s = 0;
  double tau = 0;     // s / (n (n - 1) / 2), Kendall's tau-a: from -1 to 1
  double p_rise = 1;  // P(S or more without a trend)
  double p_fall = 1;  // P(S or less without a trend)
  double p = 1;       // two-sided: twice the smaller, at most 1
};
// O(n log n). std::nullopt below three values, when all are equal, or when a value is NaN.
std::optional<MannKendall> mann_kendall(std::span<const double> values);

}  // namespace harness::stats
