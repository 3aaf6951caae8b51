#include "harness/stats/spread/dip.h"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <vector>

#include "harness/stats/spread/dip_table.h"

namespace harness::stats {
namespace {

constexpr double rounding = 1e-9;  // of heights, which are counts

// A step of the empirical distribution: how many values lie below `value`, and how many do not exceed it.
struct Step {
  double value, below, up_to;
};

std::vector<Step> steps_of(std::span<const double> sorted) {
  std::vector<Step> steps;
  for (std::size_t i = 0; i < sorted.size(); ++i) {
    if (steps.empty() || steps.back().value != sorted[i])
      steps.push_back({sorted[i], static_cast<double>(i), 0});
    steps.back().up_to = static_cast<double>(i + 1);
  }
  return steps;
}

// The part of the distribution that is left to search, and two curves over it: the greatest convex one
// below the feet of the steps and the least concave one above their heads.
class Hulls {
 public:
  Hulls(std::span<const Step> steps, std::size_t low, std::size_t high) : low_(low) {
    const auto foot = [&](std::size_t i) { return steps[i].below; };
    const auto head = [&](std::size_t i) { return -steps[i].up_to; };
    lower_ = hull(steps, low, high, foot);
    upper_ = hull(steps, low, high, head);
    convex_ = heights(steps, lower_, foot);
    concave_ = heights(steps, upper_, head);
    for (double& height : concave_) height = -height;
  }

  [[nodiscard]] double convex(std::size_t i) const { return convex_[i - low_]; }
  [[nodiscard]] double concave(std::size_t i) const { return concave_[i - low_]; }
  // The last touching point of the convex curve at or before i, and the first of the concave one at or
  // after it.
  [[nodiscard]] std::size_t convex_touch(std::size_t i) const {
    return *(std::upper_bound(lower_.begin(), lower_.end(), i) - 1);
  }
  [[nodiscard]] std::size_t concave_touch(std::size_t i) const {
    return *std::lower_bound(upper_.begin(), upper_.end(), i);
  }

 private:
  // Andrew's monotone chain (1979): where the greatest convex curve below the points touches them.
  template <class Height>
  static std::vector<std::size_t> hull(std::span<const Step> steps, std::size_t low, std::size_t high,
                                       const Height& height) {
    std::vector<std::size_t> touches;
    for (std::size_t i = low; i <= high; ++i) {
      while (touches.size() >= 2) {
        const std::size_t a = touches[touches.size() - 2], b = touches.back();
        const double steeper = (height(b) - height(a)) * (steps[i].value - steps[b].value) -
                               (height(i) - height(b)) * (steps[b].value - steps[a].value);
        if (steeper < 0) break;
        touches.pop_back();
      }
      touches.push_back(i);
    }
    return touches;
  }

  template <class Height>
  static std::vector<double> heights(std::span<const Step> steps, std::span<const std::size_t> touches,
                                     const Height& height) {
    std::vector<double> found{height(touches.front())};
    for (std::size_t t = 1; t < touches.size(); ++t) {
      const std::size_t a = touches[t - 1], b = touches[t];
      const double slope = (height(b) - height(a)) / (steps[b].value - steps[a].value);
      for (std::size_t i = a + 1; i < b; ++i)
        found.push_back(height(a) + slope * (steps[i].value - steps[a].value));
      found.push_back(height(b));
    }
    return found;
  }

  std::size_t low_;
  std::vector<std::size_t> lower_, upper_;
  std::vector<double> convex_, concave_;
};

}  // namespace

// Twice the dip, in counts, is the narrowest band that fits a convex curve up to the mode and a concave one
// after it. The interval of the mode shrinks while the two curves over it are further apart than the band
// that the parts left behind need.
double dip(std::span<const double> sorted) {
  const std::vector<Step> steps = steps_of(sorted);
  if (steps.size() < 2) return 0;
  std::size_t low = 0, high = steps.size() - 1;
  double band = 1;
  while (low < high) {
    const Hulls hulls(steps, low, high);
    std::size_t widest = low;
    double distance = hulls.concave(low) - hulls.convex(low);
    for (std::size_t i = low + 1; i <= high; ++i) {
      const double here = hulls.concave(i) - hulls.convex(i);
      if (here <= distance + rounding) continue;
      widest = i;
      distance = here;
    }
    if (distance <= band) break;
    const std::size_t next_low = hulls.convex_touch(widest), next_high = hulls.concave_touch(widest);
    if (next_low == low && next_high == high) break;  // only rounding can cause this
    // The ends of what remains are left out: one of them may be the mode, and that may have an atom.
    for (std::size_t i = low; i < next_low; ++i) band = std::max(band, steps[i].up_to - hulls.convex(i));
    for (std::size_t i = high; i > next_high; --i) band = std::max(band, hulls.concave(i) - steps[i].below);
    low = next_low;
    high = next_high;
  }
  return band / (2 * static_cast<double>(sorted.size()));
}

double dip_p(double dip, std::size_t count) {
  if (count < dip_table[0].count) return 1;
  // Scaled by sqrt(n), the quantiles hardly depend on n, so a straight line between two rows will do.
  const DipRow* above = std::find_if(std::begin(dip_table), std::end(dip_table) - 1,
                                     [&](const DipRow& row) { return row.count >= count; });
  const DipRow* below = above == std::begin(dip_table) ? above : above - 1;
  const double n = static_cast<double>(std::min(count, above->count));
  const double from = static_cast<double>(below->count), to = static_cast<double>(above->count);
  const double weight = above == below ? 0 : (n - from) / (to - from);
  const double scaled = std::sqrt(static_cast<double>(count)) * dip;
  double p_before = 1, at_before = 0;
  for (std::size_t i = 0; i < std::size(dip_tails); ++i) {
    const double at = below->exceeded[i] + weight * (above->exceeded[i] - below->exceeded[i]);
    if (scaled <= at) {
      const double share = (scaled - at_before) / (at - at_before);
      return p_before * std::pow(dip_tails[i] / p_before, share);
    }
    p_before = dip_tails[i];
    at_before = at;
  }
  return p_before;
}

}  // namespace harness::stats
