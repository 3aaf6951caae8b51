// Contrast: the difference of two means, or the mean of differences, before its variance is chosen. Its test
// is Welch's, or one with a moderated variance (spread/moderation.h).
//
// Pure functions; any thread may call them. Values are logs, so differences are logs of ratios.
#pragma once

#include <optional>

#include "harness/stats/hypothesis/t_test.h"
#include "harness/stats/spread/moderation.h"

namespace harness::stats {

// A mean of `count` values, and how well it is known: its variance is variance / count + known.
struct Estimate {
  double mean = 0;
  double variance = 0;  // of one value
  double count = 0;
  double degrees_of_freedom = 0;  // of `variance`
  double known = 0;               // variance of the mean that is known from elsewhere (sessions, devices)
};
Estimate estimate_of(const Moments& values, double known = 0);

// One side's part.
struct Part {
  double variance = 0;  // of one value
  double count = 0;
  double degrees_of_freedom = 0;
};

struct Contrast {
  double difference = 0;
  Part baseline, current;  // `baseline` has no count where it is the mean of differences
  double known = 0;        // variance known from elsewhere

  // The variance of the difference, without `known`: s_b^2/n_b + s_c^2/n_c.
  [[nodiscard]] double variance() const;
  // The degrees of freedom of variance(), by Satterthwaite (1946).
  [[nodiscard]] double degrees_of_freedom() const;
  // 1/n_b + 1/n_c: variance() / scale() is the variance of one value.
  [[nodiscard]] double scale() const;
};
// current - baseline: variance = s_b^2/n_b + s_c^2/n_c.
Contrast contrast(const Estimate& baseline, const Estimate& current);
// The mean of differences.
Contrast contrast(const Estimate& differences);

// Welch's test (welch.h): SE^2 = variance + known, a known variance having infinite degrees of freedom.
TTest test_of(const Contrast& contrast);

// The same with the variance V of nu degrees of freedom drawn towards V0 = s0^2 scale:
//   V~ = (d0 V0 + nu V) / (d0 + nu), with d0 + nu degrees of freedom.
// With equal sides of equal variance this is limma's moderated t (Smyth 2004).
TTest test_of(const Contrast& contrast, const VariancePrior& prior);

// The same where the variance is already drawn: with `usual_freedom` more degrees of freedom than its own.
TTest test_of(const Contrast& contrast, double usual_freedom);

}  // namespace harness::stats
