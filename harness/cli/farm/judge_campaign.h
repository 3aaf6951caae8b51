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
  std::vector<StoredElement> elements;
  Seconds running = 0;  // since the first task was taken

  // Tasks that must be done before it is judged. A budget that has ended leaves out those that nobody has at
  // hand.
  [[nodiscard]] std::size_t open_tasks() const;
  // Elements that live and have not checked their device since their last task. If it is sick, its tasks are
  // open again.
  [[nodiscard]] std::size_t unverified_elements() const;
};

// `id`: how it begins; "": the newest.
Result<OpenCampaign> open_campaign(FarmStore& farm, const std::string& id);

Result<FarmProgress> progress_of(Store& store, const OpenCampaign& open);

// Takes the task to judge that no element has taken, and adds what it asks for. Elements do this, too.
Status judge_rest(Store& store, FarmStore& farm, OpenCampaign& open);

// Ends the records of a campaign without open tasks, and says of each case that the budget left out that it
// did. Does nothing where that was done.
Status close_records(Store& store, FarmStore& farm, const OpenCampaign& open);

// Judges one suite of a campaign whose records are closed: the current build by the other one, or by what
// --against names; else it only shows what was measured. Returns the exit status.
int judge_suite(Store& store, const OpenCampaign& open, const CampaignSuite& suite,
                const PolicyOptions& options, SuiteOutputs& outputs, const Reproduction& made_by);

}  // namespace harness
