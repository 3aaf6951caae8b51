// How much independent values vary about a level that moves, such as the results of one case along a branch:
// a step or a slow drift of the level is no noise.
//
// Pure functions; any thread may call them.
#pragma once

#include <optional>
#include <span>
#include <vector>

namespace harness::stats {

struct LocalNoise {
  double variance = 0;
  double degrees_of_freedom = 0;
};

// From second differences d_i = x_{i-1} - 2 x_i + x_{i+1}, whose variance is 6 sigma^2 and which no straight
// line changes (Gasser, Sroka & Jennen-Steinmetz 1986). Their sd is median |d| / 0.6745 (Hampel 1974), so
// steps matter only where more than half of the d_i straddle one. For normal values the estimate varies like
// a variance with (n - 2) / 4 degrees of freedom, and is up to 50 % too large below 10 values (simulated).
// std::nullopt below 5 values or when a value is not finite.
std::optional<LocalNoise> local_noise(std::span<const double> values);

// The noise of several series together, whose levels have nothing to do with each other: n - 2 is the number
// of second differences within them.
std::optional<LocalNoise> local_noise(std::span<const std::vector<double>> series);

}  // namespace harness::stats
