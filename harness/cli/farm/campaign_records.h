// The records of a campaign in its store, and the baselines that judge them.
#pragma once

#include <string>

#include "harness/cli/farm/campaign.h"
#include "harness/cli/judging/judge_by_baseline.h"
#include "harness/store/store.h"

namespace harness {

Result<RunInfo> info_of(Store& store, const std::string& record);
// How many results a record has.
Result<int> results_of(Store& store, const std::string& record);

// The stored baseline of `record` by the revision, record or file `name`, seen from a folder of its
// repository.
Result<Record> stored_baseline(Store& store, const std::string& name, const std::string& folder,
                               const Record& record);

// How a suite finds the baseline of its current side: the other side, or by --against.
BaselineChoice baseline_of(const Campaign& campaign, const CampaignSuite& suite, const Record& record);

}  // namespace harness
