// Trends: three tests over the results of one metric of one case along a branch on one device. They find
// twelve steps of +1 % that each pass a gate of 2 %. Pure.
//
// - The newest result against the anchor: the t-test of compare(), corrected by Benjamini-Hochberg.
// - CUSUM (stats/series/cusum.h) of the log ratios to the anchor finds a lasting shift of a margin, however
//   small its steps. k is half a margin plus the anchor's possible error, t sd(anchor). h is at least half a
//   margin, so that a single point alarms only a whole margin off. An unchanged series creeps with a chance
//   of at most alpha / series over all its points: half by the anchor (t), half by the points (h);
//   tests/study/trend_test.cpp counts that. The sd of a mean of P processes is sqrt(s^2 / P + session_sd^2),
//   with s^2 pooled over the points.
// - Change points (stats/series/change_points.h), permutation p, Benjamini-Hochberg over all series, with as
//   many permutations as that needs. Only those that change the level beyond what neighbouring points share
//   (stats/series/level_changes.h). tests/scoreboard has how many are right.
#pragma once

#include <cstdint>
#include <limits>
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
  Trend trend;  // everything that identifies it, and its gate
  // Degrees of freedom of the trend's session_sd; infinite where it does not come from the series itself.
  double session_freedom = std::numeric_limits<double>::infinity();
  std::vector<MeasuredPoint> points;     // oldest first; ones without values are left out of the trend
  std::optional<MeasuredAnchor> anchor;  // absent: the oldest point
};

struct TrendOptions {
  double alpha = 0.01;  // of change points after correction, and of any creep
  std::uint64_t seed = 1;
  unsigned threads = 0;  // 0: as many as the machine has
};

// In the order given. The same series give the same answer whatever the number of threads.
std::vector<Trend> find_trends(std::vector<MeasuredSeries> series, const TrendOptions& options);

}  // namespace harness
