// Level changes: the change points that are steps of the level, where neighbouring values depend on each
// other.
//
// A permutation test takes values as exchangeable. A series that drifts, or whose neighbours share a state of
// the machine, is not, and then every stretch of it "changes". This keeps the changes whose step is also
// large against noise with the serial correlation that is left beside them. A change of spread alone goes,
// too.
//
// Pure function; any thread may call it.
#pragma once

#include <span>
#include <vector>

#include "harness/stats/series/change_points.h"

namespace harness::stats {

// `points` are change points of `values`, by index. While some p exceeds alpha, the point of the largest p
// goes, and its neighbours are judged by the longer segments. The p of a point is that of a two-sided t-test
// of the means of the segments beside it:
// - In a segment of five values or more, those beyond Tukey's far fences count as the fence.
// - r = lag-1 autocorrelation about both means; r + (1 + 4 r) / n without its bias (Tjostheim & Paulsen
// 1983),
//   between 0 and 0.99.
// - The variance of a mean is (1 + r) / (1 - r) times that of independent values, as for a first-order
//   autoregression. n values count as n (1 - r) / (1 + r), but at least 3, less two means.
// The points left are those given, with `change` between their new neighbours.
std::vector<ChangePoint> level_changes(std::span<const double> values, std::vector<ChangePoint> points,
                                       double alpha);

}  // namespace harness::stats
