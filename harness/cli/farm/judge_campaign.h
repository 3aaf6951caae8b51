// The end of a campaign: its records are complete, and they are judged as `harness run` judges its own.
#pragma once

#include <string>

#include "harness/cli/farm/campaign.h"
#include "harness/cli/options/policy_options.h"
#include "harness/cli/output/render_with_sources.h"
#include "harness/model/results/farm_progress.h"
#include "harness/store/store.h"

namespace harness {

// An open campaign with what the store knows of its tasks.
struct OpenCampaign {
  StoredCampaign stored;
  Campaign campaign;
  std::vector<FarmTask> tasks;
};

// `id`: how it begins; "": the newest.
Result<OpenCampaign> open_campaign(FarmStore& farm, const std::string& id);

Result<FarmProgress> progress_of(Store& store, const OpenCampaign& open);

// Ends the records of a campaign without open tasks. Does nothing where that was done.
Status close_records(Store& store, const OpenCampaign& open);

// Judges one suite of a campaign whose records are closed: the current build by the other one, or by what
// --against names; else it only shows what was measured. Returns the exit status.
int judge_suite(Store& store, const Campaign& campaign, const CampaignSuite& suite,
                const PolicyOptions& policy, SuiteOutputs& outputs, const Reproduction& made_by);

}  // namespace harness
