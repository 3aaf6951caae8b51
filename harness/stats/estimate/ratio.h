// Intervals of the ratio of two means, current over baseline, of values that are not logs: raw times, memory,
// throughput. For times prefer the ratio of geometric means, which is exp of the difference in welch.h.
//
// Pure functions; any thread may call them.
#pragma once

#include <optional>
#include <span>

#include "harness/stats/hypothesis/t_test.h"

namespace harness::stats {

// The ratios that are compatible with the data. Where the baseline's mean is not clearly different from
// nought, no bounded set can have the confidence asked for (Gleser & Hwang 1987).
enum class RatioShape {
  bounded,     // lo <= ratio <= hi; infinite at one end in the limiting case
  two_rays,    // ratio <= lo or ratio >= hi: the baseline's mean may be nought
  everything,  // any ratio: neither mean is clearly different from nought; lo and hi are infinite
};

struct RatioInterval {
  double ratio = 0;
  double degrees_of_freedom = 0;
  RatioShape shape = RatioShape::bounded;
  double lo = 0, hi = 0;
};

// Fieller (1954): the ratios r with (c - r b)^2 <= t^2 (v_c - 2 r v_bc + r^2 v_b), for means b, c with
// variances v. t has Satterthwaite's degrees of freedom at r = c / b, since the sides may vary differently
// (Tamhane & Logan 2004). `confidence` in (0, 1). std::nullopt with fewer than two values on a side, a value
// that is not finite, or a baseline mean of 0.
std::optional<RatioInterval> fieller(const Moments& baseline, const Moments& current, double confidence);
std::optional<RatioInterval> fieller(std::span<const double> baseline, std::span<const double> current,
                                     double confidence);

// The same for pairs (baseline[i], current[i]) from one process each: v_bc from their covariance, P - 1
// degrees of freedom. Exact for normal pairs. std::nullopt also when the sizes differ.
std::optional<RatioInterval> fieller_paired(std::span<const double> baseline, std::span<const double> current,
                                            double confidence);

// The delta method on the log of the ratio: difference = log(c / b), SE^2 = v_b / b^2 + v_c / c^2, nu as
// Welch's. exp of its interval() is an interval of the ratio, always positive and bounded; good while
// both SEs are below some 10 % of their means. std::nullopt also unless both means are positive.
std::optional<TTest> log_ratio(const Moments& baseline, const Moments& current);
std::optional<TTest> log_ratio(std::span<const double> baseline, std::span<const double> current);

}  // namespace harness::stats
