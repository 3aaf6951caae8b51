// How well the mean of one placement's samples is known, to decide when to stop taking more. Samples are not
// independent (a clock drifts, a cache fills), so the interval is widened by what neighbours share.
//
// A pure function; any thread may call it.
#pragma once

#include <span>

namespace harness::stats {

// Width of the 95 % interval of the mean, relative to the mean: 2 t s / (sqrt(n_e) mean), t with n_e - 1
// degrees of freedom, over the values within Tukey's far fences.
//
// n_e = n (1 - r) / (1 + r) is the equivalent number of independent values of a first-order autoregression
// (Bayley & Hammersley 1946). r is the lag-1 autocorrelation, limited to 0 to 0.95; n_e is at least 2.
// +infinity below three values, with a mean that is not positive, or a value that is not finite. 0 when all
// values are equal.
double relative_width_of_mean(std::span<const double> values);

}  // namespace harness::stats
