// Welch's t-test between two groups of process values, with a variance per side that is known from
// elsewhere (between sessions, between devices) and that no number of processes averages away.
//
// Pure functions; any thread may call them. Values are logs, so differences are logs of ratios.
#pragma once

#include <cstddef>
#include <optional>
#include <span>

namespace harness::stats {

struct Moments {
  std::size_t count = 0;
  double mean = 0;
  double variance = 0;  // n - 1; 0 for one value
};
Moments moments(std::span<const double> values);

struct Bounds {
  double lo = 0, hi = 0;
};

// The estimated difference current - baseline and how well it is known.
//
// With s^2 the variance of a side's P values and k^2 its known variance,
//   SE^2 = s_b^2/P_b + k_b^2 + s_c^2/P_c + k_c^2
//   nu = SE^4 / ((s_b^2/P_b)^2/(P_b - 1) + (s_c^2/P_c)^2/(P_c - 1))
// (Welch 1947; Satterthwaite 1946, a known variance being a component with infinite degrees of
// freedom, which adds to SE^2 and nothing to the denominator).
struct WelchTest {
  double difference = 0;
  double standard_error = 0;      // 0 when neither side varies and no variance is known
  double degrees_of_freedom = 0;  // may be infinite: then the normal distribution is used

  // One-sided p for H0 "difference <= margin": small when the difference is larger than the margin.
  // `margin` is on the scale of the values. Without any variance the answer is 0 or 1.
  [[nodiscard]] double p_above(double margin) const;
  // One-sided p for H0 "difference >= margin".
  [[nodiscard]] double p_below(double margin) const;
  // Two one-sided tests (Schuirmann 1987): p for H0 "|difference| >= margin".
  [[nodiscard]] double p_outside(double margin) const;
  // Two-sided interval at `confidence` in (0, 1). p_outside(m) < alpha is the same as both bounds of
  // interval(1 - 2 alpha) lying inside +-m.
  [[nodiscard]] Bounds interval(double confidence) const;
};

// std::nullopt with fewer than two values on a side, or when a value is not finite.
std::optional<WelchTest> welch(const Moments& baseline, const Moments& current,
                               double known_variance_baseline = 0, double known_variance_current = 0);
std::optional<WelchTest> welch(std::span<const double> baseline, std::span<const double> current,
                               double known_variance_baseline = 0, double known_variance_current = 0);

// P(T > t) and the t that is exceeded with probability `tail` in (0, 1); Student's t with any
// positive, possibly infinite, degrees of freedom.
double students_t_tail(double degrees_of_freedom, double t);
double students_t_critical(double degrees_of_freedom, double tail);

}  // namespace harness::stats
