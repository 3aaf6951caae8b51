// The tasks of a campaign: blocks of cases that one element measures.
#pragma once

#include <cstddef>
#include <map>
#include <string>
#include <vector>

#include "harness/cli/farm/campaign.h"

namespace harness {

// The tasks of all cases, numbered; then a task to judge, where it can add tasks.
std::vector<FarmTask> tasks_of(const Campaign& campaign);

struct CaseWork {
  int processes_before = 0;
  int processes = 0;  // 0: as planned
  std::string avoids = {};

  bool operator==(const CaseWork&) const = default;
};
// By suite and place in its plan.
using CampaignWork = std::map<std::size_t, std::map<std::size_t, CaseWork>>;

// The tasks of these cases: blocks of neighbours that are measured alike, in the order of turn_of(). Where
// several elements are expected, the last tasks of each number of GPUs are smaller, so that these end at
// about the same time. `CampaignSuite::seconds` says how large a case is. Without a budget, the suite whose
// next case is the longest comes first; with one, and where no time is known, suite by suite.
std::vector<FarmTask> tasks_of(const Campaign& campaign, const CampaignWork& work);

// The cases of a task, as one side has them.
Plan part_of(const Plan& whole, const FarmTask& task);

}  // namespace harness
