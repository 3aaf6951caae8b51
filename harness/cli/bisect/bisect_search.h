// The search of `harness bisect`: measures commits and judges them against the good one, until one commit or
// a range is left.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "harness/base/units.h"
#include "harness/cli/programs/measure_commit.h"
#include "harness/model/results/bisection_log.h"
#include "harness/store/git.h"

namespace harness {

struct BisectLimits {
  int max_steps = 0;                // most commits to test; 0: no limit
  int max_processes = 40;           // limit for inconclusive commits
  std::optional<Seconds> budget{};  // no commit is begun when it has passed
};

// `line`: from the good commit to the bad one. std::nullopt: interrupted. The worktree that builds need is
// gone when this returns.
Result<std::optional<BisectReport>> search_culprit(Store& store, const BisectMeasuring& how,
                                                   const BisectLimits& limits, const Policy& policy,
                                                   const std::vector<Commit>& line);

}  // namespace harness
