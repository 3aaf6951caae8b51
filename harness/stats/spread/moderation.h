// Moderated variances: a variance of few degrees of freedom, shrunk towards the variance that is usual for
// similar cases.
//
// Model (Smyth 2004, section 3): s^2 | sigma^2 ~ sigma^2 chi^2_d / d, and 1 / sigma^2 ~ chi^2_d0 / (d0 s0^2).
// Then s~^2 = (d0 s0^2 + d s^2) / (d0 + d), and a mean over its s~ follows Student's t with d0 + d degrees of
// freedom.
//
// Pure functions; any thread may call them.
#pragma once

#include <cstddef>
#include <optional>
#include <span>

namespace harness::stats {

// The variance of one group of values.
struct GroupVariance {
  double level = 0;  // that the usual variance may depend on: the log of the group's mean
  double variance = 0;
  double degrees_of_freedom = 0;
};

// The usual variance at a level.
struct VariancePrior {
  double variance = 0;            // s0^2
  double degrees_of_freedom = 0;  // d0

  // The chance that a group of such cases has this variance or a larger one: F with d (`own`) and d0
  // degrees of freedom (Smyth 2004, equation 4).
  [[nodiscard]] double tail(double of_group, double own) const;
};

// s0^2 as a line of log variance over the level.
struct VarianceTrend {
  double center = 0;     // mean level
  double intercept = 0;  // log s0^2 there
  double slope = 0;      // 0 where there are too few groups to tell
  double degrees_of_freedom = 0;

  [[nodiscard]] VariancePrior at(double level) const;
};

// Groups that a fit needs, and those from which on it has a slope.
inline constexpr std::size_t least_groups = 5;
inline constexpr std::size_t groups_for_slope = 10;

// By the moments of log s^2 (Smyth 2004, section 6.2; with a trend: Sartor et al. 2006, limma's fitFDist). As
// d0 is itself estimated, it is taken at the upper end of the scatter of log s^2, one standard error sqrt(2 /
// n). It is at most the number of groups. Without these limits a suite of 18 exceeds its level by half.
// Groups that do not vary, or are not finite, are left out. A second fit leaves out groups that are
// improbable under the first (5 % over all, Bonferroni). std::nullopt with fewer than least_groups.
std::optional<VarianceTrend> fit_variances(std::span<const GroupVariance> groups);

}  // namespace harness::stats
