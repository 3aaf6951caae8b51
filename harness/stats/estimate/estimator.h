// Location and spread of one process's samples, and the one value that stands for the process.
//
// Pure functions over spans; any thread may call them. A NaN in the input gives NaN.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

namespace harness::stats {

double mean(std::span<const double> values);                // NaN when empty
double standard_deviation(std::span<const double> values);  // n - 1; NaN below two values

// Quantile by linear interpolation of order statistics, Hyndman & Fan (1996) type 7, as numpy's
// default; `fraction` is clamped to [0, 1]. `sorted` must be ascending. NaN when empty.
double quantile_sorted(std::span<const double> sorted, double fraction);
double quantile(std::span<const double> values, double fraction);

double median(std::span<const double> values);

// quantile() of several ascending fractions at once, in expected linear time. Reorders `values`.
std::vector<double> quantiles_in_place(std::span<double> values, std::span<const double> fractions);

// Tukey's fences (1977) from type-7 quartiles. "mild": beyond 1.5 IQR, "far": beyond 3 IQR.
struct Fences {
  double mild_low, mild_high, far_low, far_high;
};
Fences fences_from_quartiles(double first, double third);
Fences tukey_fences(std::span<const double> values);

// Mean after dropping floor(fraction * n) values at each end, as scipy.stats.trim_mean; `fraction`
// in [0, 0.5). NaN when empty.
double trimmed_mean(std::span<const double> values, double fraction);

// Mean of log(value) of positive finite values, by one logarithm for many values: the mantissas are
// multiplied and the exponents added. NaN when empty or when a value is not positive and finite.
double mean_log(std::span<const double> values);

// log of one process's value. In each placement, samples beyond the far fences (of the samples, not of their
// logs) are dropped. The others give a 10 % trimmed mean of log samples. The result is the unweighted mean
// over placements with samples. NaN without samples, or with one that is not positive and finite. For many
// processes use process_estimator.h, which this calls.
double process_log_value(std::span<const std::vector<double>> placements);

}  // namespace harness::stats
