#include "harness/measure/rules/stop_rule.h"

#include <algorithm>

#include "harness/stats/estimate/mean_interval.h"

namespace harness {

StopRule::StopRule(const Sampling& sampling)
    : most_(static_cast<std::size_t>(std::max(1, sampling.samples))),
      least_(std::min(static_cast<std::size_t>(std::max(1, sampling.min_samples)), most_)),
      width_(sampling.width),
      next_look_(static_cast<std::size_t>(std::max(1, sampling.width_samples))) {}

Stop StopRule::decide(std::span<const std::vector<double>* const> builds, bool late) {
  if (builds.empty()) return Stop::count;
  const std::size_t taken = builds.front()->size();
  if (width_ > 0 && taken >= next_look_) {
    next_look_ = taken + std::max<std::size_t>(1, taken / 8);
    if (narrow(builds)) return Stop::width;
  }
  if (taken >= most_) return Stop::count;
  return late && taken >= least_ ? Stop::max_time : Stop::unknown;
}

bool StopRule::narrow(std::span<const std::vector<double>* const> builds) const {
  return std::all_of(builds.begin(), builds.end(), [&](const std::vector<double>* samples) {
    return stats::relative_width_of_mean(*samples) <= width_;
  });
}

}  // namespace harness
