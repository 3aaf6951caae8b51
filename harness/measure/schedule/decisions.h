// Decisions: what the first result of a case settles for all its processes and both builds in a run, because
// others would not compare: how calls are timed where the plan says `timing: auto`, and the choice of a
// variant that has several ways to work. Lanes share it. It draws which processes are audited, too.
#pragma once

#include <map>
#include <mutex>
#include <random>
#include <string>

#include "harness/model/record.h"

namespace harness {

class Decisions {
 public:
  // The case as it is to be measured: with what is decided.
  [[nodiscard]] PlannedCase decided(PlannedCase planned) const {
    const std::lock_guard lock(mutex_);
    const auto found = decisions_.find(planned.id);
    if (found == decisions_.end()) return planned;
    const auto& [timing, choice] = found->second;
    if (planned.sampling.timing == TimingMode::automatic && timing) planned.sampling.timing = *timing;
    if (!choice.empty()) planned.choice = choice;
    return planned;
  }

  // A process that was sent `planned` measured it in its way. False: another one was first and decided
  // otherwise, so the result does not count. A variant may refuse the choice that it was sent.
  bool agree(const PlannedCase& planned, const ProcessResult& result) {
    const std::lock_guard lock(mutex_);
    auto& [timing, choice] = decisions_[planned.id];
    const bool timing_open = planned.sampling.timing == TimingMode::automatic && result.timing;
    if (timing_open && !timing) timing = result.timing;
    if (choice.empty()) choice = result.choice;
    return !(timing_open && timing != result.timing) &&
           (choice == result.choice || result.choice.empty() || !planned.choice.empty());
  }

  // One for all processes of the run, so that a variant cannot know and each case has its turn.
  [[nodiscard]] int audit_draw() const { return audit_draw_; }

 private:
  struct Decision {
    std::optional<TimingMode> timing = {};
    std::string choice = {};
  };

  const int audit_draw_ = 1 + static_cast<int>(std::random_device()() >> 2);
  mutable std::mutex mutex_;
  std::map<std::string, Decision> decisions_;  // by case id
};

}  // namespace harness
