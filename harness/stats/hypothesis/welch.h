// Welch's t-test between two groups of process values, with a variance per side that is known from
// elsewhere (between sessions, between devices) and that no number of processes averages away.
//
// Pure functions; any thread may call them. Values are logs, so differences are logs of ratios.
#pragma once

#include <optional>
#include <span>

#include "harness/stats/hypothesis/t_test.h"

namespace harness::stats {

// The estimated difference current - baseline and how well it is known.
//
// With s^2 the variance of a side's P values and k^2 its known variance,
//   SE^2 = s_b^2/P_b + k_b^2 + s_c^2/P_c + k_c^2
//   nu = SE^4 / ((s_b^2/P_b)^2/(P_b - 1) + (s_c^2/P_c)^2/(P_c - 1))
// (Welch 1947; Satterthwaite 1946, a known variance being a component with infinite degrees of
// freedom, which adds to SE^2 and nothing to the denominator).
using WelchTest = TTest;

// std::nullopt with fewer than two values on a side, or when a value is not finite.
std::optional<WelchTest> welch(const Moments& baseline, const Moments& current,
                               double known_variance_baseline = 0, double known_variance_current = 0);
std::optional<WelchTest> welch(std::span<const double> baseline, std::span<const double> current,
                               double known_variance_baseline = 0, double known_variance_current = 0);

// Degrees of freedom of the sum of independent variance components, SE^4 / sum(v_i^2 / nu_i), for two
// components v_i / SE^2 with n_i - 1 degrees of freedom each. Infinite when neither varies.
double satterthwaite(double share_one, std::size_t count_one, double share_other, std::size_t count_other);

}  // namespace harness::stats
