// Change points of a series of log values in time order, such as one case's results along a branch:
// E-divisive (James & Matteson 2014; Daly et al. 2020 on its use for performance series).
//
// Pure functions; any thread may call them. The seed fixes the permutations, so the same call has the same
// answer everywhere.
//
// The statistic of a split of a segment into m and n values is its energy distance with alpha = 1,
//
//   Q = mn/(m+n) [2/(mn) S_between - 2/(m(m-1)) S_left - 2/(n(n-1)) S_right],
//
// where S are sums of |x - y| over pairs (Szekely & Rizzo 2005). It sees changes of mean and of spread, and
// one outlier does not dominate it. A Fenwick tree over ranks gives the sums for all splits of a segment in
// O(n log n), so the exact statistic costs no more than a difference of means.
//
// The p-value is that of the *maximum* over all splits of all segments, against the same maximum after
// shuffling within each segment. A t-test at the chosen split would ignore the choice.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "harness/stats/hypothesis/t_test.h"

namespace harness::stats {

struct ChangePointOptions {
  double alpha = 0.01;  // chance of a false change point at each step of the search
  std::size_t permutations = 1000;
  std::size_t min_segment = 3;  // values between change points, 2 or more
  std::uint64_t seed = 1;
};

struct ChangePoint {
  std::size_t index = 0;  // of the first value after the change
  double statistic = 0;   // Q of the split when it was found
  double p = 1;           // (1 + shuffles at least as extreme) / (1 + permutations)
  TTest change;           // mean after - mean before, between the neighbouring change points (Welch);
                          // the split was chosen to be large, so its interval() flatters a little
};

// In the order of the series. Splits the segments at the largest Q while p <= alpha. A step that can no
// longer reach alpha ends early, and a shuffle whose bound (split_bound.h) stays below its segment's Q is not
// computed; neither changes an answer. The first step costs at most O(permutations n log n), each further one
// the same for the two new segments. std::nullopt when a value is not finite (or beyond 1e150), min_segment
// is below 2, or there are fewer permutations than 1/alpha - 1.
std::optional<std::vector<ChangePoint>> change_points(std::span<const double> values,
                                                      const ChangePointOptions& options = {});

// Q of each split of the whole series: element i is the split into values[0, i] and the rest, and 0
// where a side has fewer than two values. For values as change_points takes them.
std::vector<double> split_statistics(std::span<const double> values);

}  // namespace harness::stats
