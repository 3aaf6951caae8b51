// The tasks that follow when all others of a campaign are done: undecided cases are measured up to their next
// look, then regressed ones again, by fresh processes on another device where the campaign has one.
#pragma once

#include <vector>

#include "harness/cli/farm/campaign.h"
#include "harness/store/store.h"

namespace harness {

// Judges the campaign as it stands, without waivers. `known`: its tasks so far. Empty: nothing is open, or
// there is no baseline, which judging will say. Else the last one is a task to judge.
Result<std::vector<FarmTask>> next_tasks(Store& store, const Campaign& campaign,
                                         const std::vector<FarmTask>& known);

}  // namespace harness
