// TimingModes: how cases with `timing: auto` are timed in a run. Times of batches and of single calls do not
// compare, so the first result decides for all processes and both builds. Lanes share it.
#pragma once

#include <map>
#include <mutex>
#include <string>

#include "harness/model/plan.h"

namespace harness {

class TimingModes {
 public:
  // The case as it is to be measured: with the decision, once there is one.
  [[nodiscard]] PlannedCase decided(PlannedCase planned) const {
    const std::lock_guard lock(mutex_);
    const auto found = modes_.find(planned.id);
    if (planned.sampling.timing == TimingMode::automatic && found != modes_.end())
      planned.sampling.timing = found->second;
    return planned;
  }

  // A process chose `mode` for a case. False: another one was first, and chose otherwise.
  bool agree(const std::string& case_id, TimingMode mode) {
    const std::lock_guard lock(mutex_);
    return modes_.emplace(case_id, mode).first->second == mode;
  }

 private:
  mutable std::mutex mutex_;
  std::map<std::string, TimingMode> modes_;  // by case id
};

}  // namespace harness
