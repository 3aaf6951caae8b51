// Plans a campaign: checks all that can be checked before measuring, and begins its records.
#pragma once

#include <string>
#include <vector>

#include "harness/cli/farm/campaign.h"
#include "harness/cli/farm/campaign_request.h"
#include "harness/store/store.h"

namespace harness {

struct PlannedCampaign {
  StoredCampaign stored;
  Campaign campaign;
  std::vector<FarmTask> tasks;
  std::size_t spared = 0;             // cases that are proven identical
  std::vector<std::string> left_out;  // cases, by the budget
};

// std::nullopt: interrupted.
Checked<std::optional<PlannedCampaign>> plan_campaign(const CampaignRequest& request);

}  // namespace harness
