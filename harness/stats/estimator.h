// Location and spread of one process's samples, and the one value that stands for the process.
// Pure functions; inputs must be finite unless a function says otherwise.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

namespace harness::stats {

double mean(std::span<const double> values);                 // NaN when empty
double standard_deviation(std::span<const double> values);   // n - 1; NaN below two values

// Quantile by linear interpolation of order statistics, Hyndman & Fan (1996) type 7, as numpy's
// default; `fraction` in [0, 1]. `sorted` must be ascending and not empty.
double quantile_sorted(std::span<const double> sorted, double fraction);
double quantile(std::span<const double> values, double fraction);

// Tukey's fences (1977) from type-7 quartiles. "mild": beyond 1.5 IQR, "far": beyond 3 IQR.
struct Fences {
  double mild_low, mild_high, far_low, far_high;
};
Fences tukey_fences(std::span<const double> values);

struct OutlierCount {
  std::size_t mild = 0;  // beyond 1.5 IQR but not beyond 3
  std::size_t far = 0;   // beyond 3 IQR
};
OutlierCount count_outliers(std::span<const double> values);

// Mean after dropping floor(fraction * n) values at each end, as scipy.stats.trim_mean.
double trimmed_mean(std::span<const double> values, double fraction);

// log of one process's value: for each placement, the 10 % trimmed mean of log samples after
// removing those beyond the far fences; then the mean over placements. NaN without samples; samples
// must be positive.
double process_log_value(std::span<const std::vector<double>> placements);

}  // namespace harness::stats
