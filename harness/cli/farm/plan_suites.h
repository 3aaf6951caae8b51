// The suites of a campaign, each with the plans of its sides and their records.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "harness/cli/deciding/look_first.h"
#include "harness/cli/farm/campaign.h"
#include "harness/cli/farm/campaign_request.h"
#include "harness/store/store.h"

namespace harness {

// A suite of a campaign with its records, which nobody has begun yet. Its sides have no cases until fill(),
// because a look takes as much memory.
struct SuiteWithRecords {
  CampaignSuite suite;
  std::vector<Record> records;
  // Looks at all cases, once the records have been begun.
  std::function<Result<SparedCases>(std::vector<Record>&)> look = {};
  // Gives each side its cases. Nothing can look afterwards.
  std::function<void(CampaignSuite&)> fill = {};
};

// The suites of which something is selected. std::nullopt: interrupted.
Checked<std::optional<std::vector<SuiteWithRecords>>> plan_suites(Store& store,
                                                                  const CampaignRequest& request);

}  // namespace harness
