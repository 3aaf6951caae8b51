// StopRule: when a placement has samples enough: all that were asked for, an interval of their mean that is
// narrow enough, or no time left. Never a p-value: stopping at one makes false alarms of chance (decision by
// looks stands between processes, harness/verdict/looks.md). Pure but for what it remembers of one placement.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "harness/model/plan.h"
#include "harness/model/record.h"

namespace harness {

class StopRule {
 public:
  explicit StopRule(const Sampling& sampling);

  // Whether to stop, and why; Stop::unknown to go on. `builds`: the samples of each build that is still being
  // measured, equally many; all must be narrow. `late`: the time is used up, which counts once there are
  // `min_samples`. Widths are looked at from `width_samples` on and then each eighth more, so that
  // looking costs little beside sampling.
  Stop decide(std::span<const std::vector<double>* const> builds, bool late);

 private:
  [[nodiscard]] bool narrow(std::span<const std::vector<double>* const> builds) const;

  std::size_t most_, least_;
  double width_;
  std::size_t next_look_;
};

}  // namespace harness
