// The tasks of a campaign: blocks of cases that one element measures.
#pragma once

#include <cstddef>
#include <map>
#include <string>
#include <vector>

#include "harness/base/units.h"
#include "harness/cli/farm/campaign.h"

namespace harness {

// Orders the cases of a suite as tasks take them: those that use as many GPUs are neighbours, and the
// variants of a point, too. Points that take long come first, and so do their variants. With a budget, only
// the GPUs count.
void order_cases(const Campaign& campaign, CampaignSuite& suite);

// The time of all cases in one process after the other, as far as CampaignSuite::seconds tells.
Seconds expected_time(const Campaign& campaign);

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

// How many cases the next task of an element may have, where its last one had so many, and each process of
// that took so long. Nobody may have known before how long cases take. A task that is too short spends its
// time in starting processes, and later cases may be longer.
struct NextTask {
  int least = 0;  // the last tasks may be as large: more devices would end little sooner
  int most = 0;
};
NextTask next_task_after(int cases, Seconds process);

// The tasks of these cases: blocks of neighbours that are measured alike, in the order of turn_of(). The
// variants of a point stay together where a task can hold them. Where several elements are expected, the last
// tasks of each number of GPUs are smaller, so that these end at about the same time. A case is as large as
// `CampaignSuite::seconds` says. The suite whose next point is the largest comes first. With a budget, and
// where no time is known, the order is that of the plans.
std::vector<FarmTask> tasks_of(const Campaign& campaign, const CampaignWork& work);

}  // namespace harness
