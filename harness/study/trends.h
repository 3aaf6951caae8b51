// Trends: three tests over a series of results of one metric of one case, measured along a branch on one
// device. Twelve steps of +1 % each pass a gate of 2 %, but not these tests. Pure.
//
// - The newest result against the anchor: the t-test of compare(), corrected by Benjamini-Hochberg.
// - CUSUM (stats/series/cusum.h) of the log ratios to the anchor, with k of half a margin. It notices a
// lasting
//   shift of a margin however small its steps. With h, an unchanged series alarms once in 1000 points; h is
//   at least k, so that a single point alarms alone only a whole margin off. The sd of a point is sqrt(s^2 /
//   P + session_sd^2), with s^2 pooled over the points.
// - Change points (stats/series/change_points.h), permutation p, Benjamini-Hochberg over all series.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "harness/model/results/case_trend.h"

namespace harness {

// One point: its process values as logs, and the rest as a TrendPoint has it.
struct MeasuredPoint {
  TrendPoint point;  // commit, date, subject, record, distance
  std::vector<double> log_values;
};

struct MeasuredAnchor {
  TrendAnchor anchor;  // kind, name, commit, distance
  std::vector<double> log_values;
};

struct MeasuredSeries {
  Trend trend;                           // everything that identifies it, and its gate
  std::vector<MeasuredPoint> points;     // oldest first; ones without values are left out of the trend
  std::optional<MeasuredAnchor> anchor;  // absent: the oldest point
};

struct TrendOptions {
  double alpha = 0.01;  // of change points, after correction
  std::uint64_t seed = 1;
  unsigned threads = 0;  // 0: as many as the machine has
};

// In the order given. The same series give the same answer whatever the number of threads.
std::vector<Trend> find_trends(std::vector<MeasuredSeries> series, const TrendOptions& options);

}  // namespace harness
