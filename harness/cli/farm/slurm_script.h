// A batch script of Slurm that starts the elements of a campaign as an array of jobs, and a job that judges
// it.
#pragma once

#include <string>
#include <vector>

#include "harness/base/result.h"
#include "harness/cli/farm/plan_campaign.h"

namespace harness {

struct SlurmRequest {
  std::string script;                // file
  std::vector<std::string> options;  // of sbatch, without their dashes
  std::string inside;                // a command that starts an element in a container; "": none
  int elements = 1;                  // jobs of the array
};

// An error when an option is none of sbatch.
Status check_slurm_request(const SlurmRequest& request);

// The time that an element has in a job, by the option `time`; 0: nobody limits it, or only the partition.
// Slurm takes MINUTES, MINUTES:SECONDS, HOURS:MINUTES:SECONDS and DAYS-HOURS[:MINUTES[:SECONDS]].
Seconds time_in_job(const std::vector<std::string>& options);

std::string slurm_script(const SlurmRequest& request, const PlannedCampaign& planned,
                         const std::string& store);

// Asks the cluster whether it can ever run the script: partition, account, time, CPUs and size of the array.
// Where no cluster answers, nothing is checked.
Status check_slurm_script(const std::string& script);

}  // namespace harness
