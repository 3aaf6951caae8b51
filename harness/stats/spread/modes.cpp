#include "harness/stats/spread/modes.h"

#include <algorithm>
#include <boost/math/special_functions/beta.hpp>
#include <cmath>
#include <limits>

#include "harness/stats/constants.h"
#include "harness/stats/estimate/estimator.h"
#include "harness/stats/spread/dip.h"

namespace harness::stats {
namespace {

// In doubles throughout: long doubles take several times as long and change the 14th digit.

constexpr std::size_t fewest = 4;  // two on each side

// The widest gap that leaves two values on both sides, over the wider of what lies beside it.
double largest_gap_ratio(std::span<const double> sorted) {
  double largest = 0;
  for (std::size_t upper = 2; upper + 2 <= sorted.size(); ++upper) {
    const double gap = sorted[upper] - sorted[upper - 1];
    const double beside = std::max(sorted[upper - 1] - sorted.front(), sorted.back() - sorted[upper]);
    if (gap > 0) largest = std::max(largest, gap / beside);
  }
  return largest;
}

double p_of_one_mode(std::span<const double> sorted) {
  if (sorted.size() < fewest || sorted.front() == sorted.back()) return 1;
  const double by_gap = gap_p(largest_gap_ratio(sorted), sorted.size());
  const double by_dip = dip_p(dip(sorted), sorted.size());
  return std::min(1.0, 2 * std::min(by_gap, by_dip));
}

// The first value of the upper group, of the two that lie furthest apart for their sizes.
std::size_t best_split(std::span<const double> sorted) {
  const double count = static_cast<double>(sorted.size()), center = mean(sorted);
  double below = 0, largest = -1;
  std::size_t best = 1;
  for (std::size_t upper = 1; upper < sorted.size(); ++upper) {
    below += sorted[upper - 1] - center;
    const double left = static_cast<double>(upper);
    const double between = below * below * count / (left * (count - left));
    if (sorted[upper] == sorted[upper - 1] || between <= largest) continue;
    largest = between;
    best = upper;
  }
  return best;
}

Mode mode_of(std::span<const double> sorted) {
  const double sd = sorted.size() < 2 ? 0 : standard_deviation(sorted);
  return {sorted.size(), mean(sorted), sd, sorted.front(), sorted.back()};
}

void add_groups(std::vector<Mode>& groups, std::span<const double> sorted, double p, double alpha) {
  if (p > alpha) {
    groups.push_back(mode_of(sorted));
    return;
  }
  const std::size_t upper = best_split(sorted);
  for (const std::span<const double> part : {sorted.first(upper), sorted.subspan(upper)})
    add_groups(groups, part, p_of_one_mode(part), alpha);
}

}  // namespace

double gap_p(double ratio, std::size_t count) {
  if (!(ratio >= 1) || count < fewest) return 1;
  if (std::isinf(ratio)) return 0;
  const double at = 1 / (2 + ratio);
  double sum = 0;
  for (std::size_t lower = 2; lower + 2 <= count; ++lower) {
    const auto a = static_cast<double>(lower - 1), b = static_cast<double>(count - 1 - lower);
    sum += std::pow(1 + ratio, -a) * boost::math::ibeta(b, a, at, in_doubles) +
           std::pow(1 + ratio, -b) * boost::math::ibeta(a, b, at, in_doubles);
  }
  return std::min(1.0, sum);
}

std::optional<Modes> find_modes(std::span<const double> values, double alpha) {
  if (values.empty() ||
      !std::all_of(values.begin(), values.end(), [](double value) { return std::isfinite(value); }))
    return std::nullopt;
  std::vector<double> sorted(values.begin(), values.end());
  std::sort(sorted.begin(), sorted.end());
  Modes modes;
  modes.p = p_of_one_mode(sorted);
  add_groups(modes.groups, sorted, modes.p, alpha);
  if (modes.groups.size() < 2) return modes;
  modes.gap = modes.separation = std::numeric_limits<double>::infinity();
  for (std::size_t i = 1; i < modes.groups.size(); ++i) {
    const Mode &one = modes.groups[i - 1], &other = modes.groups[i];
    modes.gap = std::min(modes.gap, other.lo - one.hi);
    modes.separation =
        std::min(modes.separation, (other.mean - one.mean) * std::sqrt(2.0) / std::hypot(one.sd, other.sd));
  }
  return modes;
}

}  // namespace harness::stats
