// The cost of one more: the straight line through times of several counts. The slope over the number of calls
// is the time of one call, free of what every batch costs whatever its length.
//
// Pure functions; any thread may call them.
#pragma once

#include <optional>
#include <span>

#include "harness/stats/hypothesis/t_test.h"

namespace harness::stats {

struct Line {
  double slope = 0;      // of y, per unit of x
  double intercept = 0;  // y at x = 0
  // sqrt(RSS / (n - 2)), in the unit of y; 0 with two points, which any line meets.
  double residual_sd = 0;
  // The largest |y - line| as a share of the line there: 0.03 is a point that lies 3 % off. Infinite where
  // the line is not positive at a point that it misses.
  double off_line = 0;
  // The standard error of the slope, with n - 2 degrees of freedom (Draper & Smith 1998, 1.3):
  // test->interval(0.95). Absent with two points, which say nothing of how well the slope is known.
  std::optional<TTest> test = {};
};

// Ordinary least squares of y on x. std::nullopt for fewer than two points, sizes that differ, values
// that are not finite, or when all x are equal.
std::optional<Line> least_squares(std::span<const double> x, std::span<const double> y);

}  // namespace harness::stats
