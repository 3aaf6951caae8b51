// Plans a campaign: checks all that can be checked before measuring, and begins its records.
#pragma once

#include <string>
#include <vector>

#include "harness/cli/ab/ab_sides.h"
#include "harness/cli/farm/campaign.h"
#include "harness/cli/options/look_options.h"
#include "harness/cli/options/looks_options.h"
#include "harness/cli/options/measuring_options.h"
#include "harness/cli/options/store_options.h"
#include "harness/store/store.h"

namespace harness {

struct CampaignRequest {
  AbRequest sides;  // the suite's options; with builds: both sides are measured
  std::vector<std::string> suites;
  StoreOption store;
  std::string against;
  PairMode pair = PairMode::automatic;
  LookOptions look;
  LooksOption looks;
  MeasuringOptions measuring;
  Seconds budget = 0;  // 0: none
  int elements = 1;    // devices that will measure
  int block = 24;      // cases of a task
  Seconds lease = 120;
};

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
