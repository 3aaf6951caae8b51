// Several modes across processes: another algorithm, clock or memory placement in some of them. For the 8 to
// 50 values that a side has, or more. Never a reason to drop values.
//
// Pure functions; any thread may call them. Values on a coarse grid (times in few steps of a clock) look like
// several modes, so also ask for a gap that matters.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <vector>

namespace harness::stats {

struct Mode {
  std::size_t count = 0;
  double mean = 0, sd = 0;  // n - 1; 0 for one value
  double lo = 0, hi = 0;    // least and largest value
};

// Two tests of "one mode"; the smaller p is doubled (Bonferroni):
// - Hartigan's dip (dip.h) sees broad groups of similar size, whatever the shape of a mode.
// - gap_p sees groups far apart, even two values against the rest.
struct Modes {
  double p = 1;              // for H0 "one mode", of all values together
  std::vector<Mode> groups;  // ascending; one unless p <= alpha
  double gap = 0;            // narrowest space between neighbouring groups; 0 for one group
  double separation = 0;     // Ashman's D = |m1 - m2| sqrt(2 / (s1^2 + s2^2)) (Ashman, Bird & Zepf 1994),
                             // the least of neighbours; above 2 they are clearly apart, infinite without
                             // variance, 0 for one group
};

// Splits where two groups leave the smallest squares within (Fisher 1958), then each group again as long
// as its own p <= alpha. With fewer than 4 values, or all equal, p is 1. std::nullopt when empty or a
// value is not finite.
std::optional<Modes> find_modes(std::span<const double> values, double alpha = 0.01);

// The probability that some gap between `count` uniform values is at least `ratio` >= 1 times as wide as each
// side of it. Each side has two values or more. It is exact, because spacings of uniform values are
// exponential variables over their sum. With c = ratio, n = count and I the regularised incomplete beta
// function:
//
//   p = sum over k = 2..n-2 of (1+c)^-a I(1/(2+c); b, a) + (1+c)^-b I(1/(2+c); a, b), a = k-1, b = n-1-k.
//
// Smaller for normal and Student's t values, up to twice as large for strongly skewed ones (lognormal, sigma
// 1). 1 for a ratio below 1.
double gap_p(double ratio, std::size_t count);

}  // namespace harness::stats
