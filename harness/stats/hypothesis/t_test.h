// The result of any t-test of a mean: two groups (welch.h), one group of differences (paired.h), a slope
// (trend.h) or a log ratio (ratio.h).
//
// Pure functions; any thread may call them. Values are usually logs, so differences are logs of ratios.
#pragma once

#include <cstddef>
#include <span>

namespace harness::stats {

struct Moments {
  std::size_t count = 0;
  double mean = 0;
  double variance = 0;  // n - 1; 0 for one value
};
Moments moments(std::span<const double> values);

// Whether a test can use them: `least` values or more, all finite.
bool usable(const Moments& side, std::size_t least = 2);

struct Bounds {
  double lo = 0, hi = 0;
};

// An estimated difference and how well it is known: (difference - true difference) / standard_error
// follows Student's t.
struct TTest {
  double difference = 0;
  double standard_error = 0;      // 0 when nothing varies
  double degrees_of_freedom = 0;  // may be infinite: then the normal distribution is used

  // One-sided p for H0 "difference <= margin": small when the difference is larger than the margin.
  // `margin` is on the scale of the values. Without any variance the answer is 0 or 1.
  [[nodiscard]] double p_above(double margin) const;
  // One-sided p for H0 "difference >= margin".
  [[nodiscard]] double p_below(double margin) const;
  // Two one-sided tests (Schuirmann 1987): p for H0 "|difference| >= margin".
  [[nodiscard]] double p_outside(double margin) const;
  // Two-sided p for H0 "difference = value".
  [[nodiscard]] double p_differs(double value = 0) const;
  // Two-sided interval at `confidence` in (0, 1). p_outside(m) < alpha is the same as both bounds of
  // interval(1 - 2 alpha) lying inside +-m.
  [[nodiscard]] Bounds interval(double confidence) const;
};

// P(T > t) and the t that is exceeded with probability `tail` in (0, 1); Student's t with any
// positive, possibly infinite, degrees of freedom.
double students_t_tail(double degrees_of_freedom, double t);
double students_t_critical(double degrees_of_freedom, double tail);

}  // namespace harness::stats
