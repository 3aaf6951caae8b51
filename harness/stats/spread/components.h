// Variance components: how much values vary between processes of a session, between sessions on a device,
// between devices, and how well each is known. Sides may be of unequal size.
//
// Pure functions; any thread may call them.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <vector>

#include "harness/stats/hypothesis/t_test.h"

namespace harness::stats {

struct Component {
  double variance = 0;            // never below 0
  double degrees_of_freedom = 0;  // of the mean square that it comes from
  Bounds interval;                // of the variance, at the confidence asked for
};

struct Components {
  Component within;                  // between processes of one session
  std::optional<Component> between;  // between sessions of one group; absent with one session a group
  std::optional<Component> among;    // between groups; absent with one group
};

// `groups` -> sessions -> values. Unweighted means (Thomas & Hultquist 1978):
// - within = s^2, the pooled variance within sessions;
// - between = m^2 - s^2 / n: m^2 is the pooled variance of session means within groups, n the harmonic mean
//   of session sizes;
// - among = g^2 - m^2 / r: g^2 is the variance of the groups' means of these, r the harmonic mean of group
//   sizes.
// Where no group has two sessions, s^2 / n stands for m^2, and `among` holds the sessions' part as well.
// Intervals: chi-squared for `within`, Williams' (1962) for the others, whose confidence is at least 2 c - 1
// and close to c. std::nullopt without a session of two values, or when a value is not finite.
std::optional<Components> variance_components(std::span<const std::vector<std::vector<double>>> groups,
                                              double confidence);

// A variance estimated with few degrees of freedom, drawn towards what is usual: (d0 v0 + d v) / (d0 + d),
// the posterior mean of Smyth (2004) with `usual` v0 as if it had been seen with `weight` d0 degrees of
// freedom.
double moderated_variance(double variance, double degrees_of_freedom, double usual, double weight);

}  // namespace harness::stats
