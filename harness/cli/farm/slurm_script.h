// A batch script of Slurm that starts the elements of a campaign as an array of jobs.
#pragma once

#include <string>

#include "harness/base/result.h"
#include "harness/cli/farm/plan_campaign.h"

namespace harness {

// An error when the store's URL holds a password, because everybody may read a script.
Status check_slurm_store(const std::string& url);

// `elements`: jobs of the array. `cpus`: hardware threads of a job; 0: as many as Slurm gives.
std::string slurm_script(const PlannedCampaign& planned, const std::string& store, int elements, int cpus);

}  // namespace harness
