#include "harness/stats/series/change_points.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <limits>
#include <utility>

#include "harness/stats/estimate/random.h"
#include "harness/stats/hypothesis/welch.h"
#include "harness/stats/series/split_bound.h"

namespace harness::stats {
namespace {

constexpr double largest_value = 1e150;  // its square is still finite
constexpr int most_levels = 32;          // of a tree of fewer than 2^32 ranks

// Vectors of the width that every 64-bit processor has.
using Pair __attribute__((vector_size(16))) = double;
using Tally = Pair;                                            // how many values there were, and their sum
using Choice __attribute__((vector_size(16))) = std::int64_t;  // all bits set where something is taken

// Count and sum of the values of lower rank, by Fenwick's (1994) tree: for each pair of blocks of 1, 2, 4,
// ... ranks, the content of the left one. A rank on the left adds to its pair; a rank on the right reads it.
// So one walk adds a value and asks about it, without a branch that depends on the rank.
class MetRanks {
 public:
  explicit MetRanks(std::size_t count)
      : levels_(count > 1 ? static_cast<int>(std::bit_width(count - 1)) : 0), pairs_(std::bit_ceil(count)) {}

  [[nodiscard]] int levels() const { return levels_; }
  void clear() { std::fill(pairs_.begin(), pairs_.end(), Tally{}); }

  // The sums of lower ranks; then `value`, which has this rank, is added as well. `levels` must be levels():
  // a number known when this is compiled makes it twice as fast.
  template <int levels>
  Tally meet(std::size_t rank, double value) {
    static constexpr Choice sides[] = {{0, 0}, {-1, -1}};
    const Choice one = std::bit_cast<Choice>(Tally{1, value});
    Tally lower{};
    std::size_t block = rank + (std::size_t{1} << levels);  // the pair of blocks 2n and 2n + 1 is pairs_[n]
#pragma GCC unroll 32
    for (int level = 0; level < levels; ++level) {
      const Choice right = sides[block % 2];
      block /= 2;
      const Tally left_one = pairs_[block];
      lower += std::bit_cast<Tally>(std::bit_cast<Choice>(left_one) & right);
      pairs_[block] = left_one + std::bit_cast<Tally>(one & ~right);
    }
    return lower;
  }

 private:
  int levels_;
  std::vector<Tally> pairs_;
};

struct Split {
  std::size_t left = 0;  // values before the split; 0: no split at all
  double statistic = 0;
};

// The values of one segment by rank, and what the statistic of any order of them needs. Keeps the largest
// statistics of its shuffled orders, which stay the same while other segments are split: each segment is
// shuffled once, not once a step.
class Segment {
 public:
  Segment(std::span<const double> values, std::size_t begin, std::uint64_t seed = 0)
      : begin_(begin),
        order_(ranks_of(values)),
        values_(values, order_),
        met_(values.size()),
        within_left_(values.size() + 1),
        within_right_(values.size() + 1),
        random_(seed + begin * 0x9e3779b97f4a7c15 + values.size()) {}

  [[nodiscard]] std::size_t begin() const { return begin_; }
  [[nodiscard]] std::size_t size() const { return order_.size(); }

  // The statistic of the original order, before any shuffle.
  [[nodiscard]] const Split& best() const { return best_; }
  void find_best(std::size_t least) {
    best_ = best_split(least);
    bound_.emplace(values_, best_.statistic);
  }

  // The largest statistic of the shuffled order `number` (from 0), or 0 where it is below that of best().
  // Then no step needs it, because each compares with the largest of all segments. Ask for numbers in
  // increasing order, after find_best().
  double shuffled_largest(std::size_t number, std::size_t least) {
    while (largest_.size() <= number) {
      random_.shuffle(std::span(order_));
      largest_.push_back(bound_->shows_below(order_, least, values_) ? 0 : largest_statistic(least));
    }
    return largest_[number];
  }

  // Calls take(left, statistic) for each split that leaves `least` values, 2 or more, on both sides.
  template <class Take>
  void for_each_split(std::size_t least, const Take& take) {
    add_distances();
    for (std::size_t left = least; left + least <= size(); ++left) take(left, statistic(left));
  }

 private:
  Split best_split(std::size_t least) {
    Split best;
    for_each_split(least, [&](std::size_t left, double statistic) {
      if (statistic > best.statistic) best = {left, statistic};
    });
    return best;
  }

  // The same without its place, two splits at a time.
  double largest_statistic(std::size_t least) {
    add_distances();
    Pair largest{}, before{static_cast<double>(least), static_cast<double>(least + 1)};
    std::size_t left = least;
    for (; left + 1 + least <= size(); left += 2, before += 2) {
      Pair within_left, within_right;
      std::memcpy(&within_left, &within_left_[left], sizeof within_left);
      std::memcpy(&within_right, &within_right_[left], sizeof within_right);
      const Pair found = statistic(before, within_left, within_right);
      largest = found > largest ? found : largest;
    }
    const double last = left + least <= size() ? statistic(left) : 0;
    return std::max({largest[0], largest[1], last});
  }

  [[nodiscard]] double statistic(std::size_t left) const {
    return statistic(static_cast<double>(left), within_left_[left], within_right_[left]);
  }

  // The statistic of the split after `before` values, or of one in each lane.
  template <class Number>
  [[nodiscard]] Number statistic(Number before, Number within_left, Number within_right) const {
    const Number after = static_cast<double>(size()) - before;
    return 2 / static_cast<double>(size()) *
           (values_.total - within_left - within_right - within_left * after / (before - 1) -
            within_right * before / (after - 1));
  }

  // Sums the distances between the values on either side of each split of the present order.
  void add_distances() { add_distances(std::make_integer_sequence<int, most_levels + 1>()); }

  template <int... levels>
  void add_distances(std::integer_sequence<int, levels...>) {
    static constexpr std::array walks{&Segment::walk<levels>...};
    (this->*walks[static_cast<std::size_t>(met_.levels())])();
  }

  template <int levels>
  void walk() {
    met_.clear();
    double met = 0, sum = 0, within_left = 0, within_right = values_.total;
    for (std::size_t i = 0; i < size(); ++i) {
      const std::uint32_t rank = order_[i];
      const double value = values_.sorted[rank];
      const Tally lower = met_.meet<levels>(rank, value);
      const double to_left = value * (2 * lower[0] - met) + sum - 2 * lower[1];
      within_left_[i + 1] = within_left += to_left;
      within_right_[i + 1] = within_right -= values_.distances[rank] - to_left;
      sum += value;
      met += 1;
    }
  }

  Split best_;
  std::vector<double> largest_;       // by number of the shuffled order
  std::size_t begin_;                 // position in the series
  std::vector<std::uint32_t> order_;  // ranks in time order
  RankedValues values_;
  std::optional<SplitBound> bound_;  // on the statistics of a shuffled order
  MetRanks met_;
  // Sums of |x - y| over pairs on either side, by how many values are on the left.
  std::vector<double> within_left_, within_right_;
  Random random_;
};

// The p-value of `observed` as the largest statistic of all segments, or nothing as soon as it cannot be
// alpha or less.
std::optional<double> p_of_largest(std::vector<Segment>& segments, double observed,
                                   const ChangePointOptions& options) {
  const double permutations = static_cast<double>(options.permutations);
  // Orders that are the same but for rounding count as being as extreme.
  const double bar = observed * (1 - 1e-12);
  double extreme = 0;
  for (std::size_t i = 0; i < options.permutations; ++i) {
    const bool reached = std::any_of(segments.begin(), segments.end(), [&](Segment& segment) {
      return segment.shuffled_largest(i, options.min_segment) >= bar;
    });
    extreme += reached ? 1 : 0;
    if ((1 + extreme) / (1 + permutations) > options.alpha) return std::nullopt;
  }
  return (1 + extreme) / (1 + permutations);
}

bool possible(std::span<const double> values, const ChangePointOptions& options) {
  if (options.min_segment < 2 || values.size() >= std::numeric_limits<std::uint32_t>::max()) return false;
  if (!(options.alpha * (1 + static_cast<double>(options.permutations)) >= 1)) return false;
  return std::all_of(values.begin(), values.end(),
                     [](double value) { return std::abs(value) <= largest_value; });
}

void measure_changes(std::vector<ChangePoint>& points, std::span<const double> values) {
  std::sort(points.begin(), points.end(),
            [](const ChangePoint& a, const ChangePoint& b) { return a.index < b.index; });
  for (std::size_t i = 0; i < points.size(); ++i) {
    const std::size_t from = i == 0 ? 0 : points[i - 1].index, at = points[i].index;
    const std::size_t to = i + 1 == points.size() ? values.size() : points[i + 1].index;
    points[i].change = welch(values.subspan(from, at - from), values.subspan(at, to - at)).value();
  }
}

}  // namespace

std::optional<std::vector<ChangePoint>> change_points(std::span<const double> values,
                                                      const ChangePointOptions& options) {
  if (!possible(values, options)) return std::nullopt;
  std::vector<ChangePoint> points;
  if (values.size() < 2 * options.min_segment) return points;
  std::vector<Segment> segments;
  const auto add = [&](std::size_t begin, std::size_t size) {
    segments.emplace_back(values.subspan(begin, size), begin, options.seed).find_best(options.min_segment);
  };
  add(0, values.size());
  for (;;) {
    std::size_t chosen = 0;
    Split best;
    for (std::size_t i = 0; i < segments.size(); ++i) {
      if (segments[i].best().statistic > best.statistic) {
        best = segments[i].best();
        chosen = i;
      }
    }
    if (best.left == 0) break;
    const std::optional<double> p = p_of_largest(segments, best.statistic, options);
    if (!p) break;
    const std::size_t begin = segments[chosen].begin(), size = segments[chosen].size();
    points.push_back({begin + best.left, best.statistic, *p, {}});
    segments.erase(segments.begin() + static_cast<std::ptrdiff_t>(chosen));
    add(begin, best.left);
    add(begin + best.left, size - best.left);
  }
  measure_changes(points, values);
  return points;
}

std::vector<double> split_statistics(std::span<const double> values) {
  std::vector<double> statistics(values.size(), 0.0);
  Segment(values, 0).for_each_split(
      2, [&](std::size_t left, double statistic) { statistics[left - 1] = statistic; });
  return statistics;
}

}  // namespace harness::stats
