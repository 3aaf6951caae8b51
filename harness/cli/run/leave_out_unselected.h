// The filters and tags of a command select from all its suites together. A suite of which they select nothing
// is left out.
#pragma once

#include <cstddef>
#include <string>
#include <utility>
#include <vector>

#include "harness/base/result.h"
#include "harness/cli/measuring/prepare.h"

namespace harness {

struct PlannedSuite {
  std::string file;
  // One for each build that is measured. None: it could not be planned, so filters may select any of it.
  std::vector<const Prepared*> plans;

  [[nodiscard]] bool is_selected() const;
};

// Says of which suites nothing is selected. An error where a filter or a tag selects no case of any, or all
// together leave none.
Status check_selected(const std::vector<PlannedSuite>& suites);

// Leaves these suites out, after the same check. `Job::planned()` is a PlannedSuite.
template <class Job>
Status leave_out_unselected(std::vector<Job>& jobs) {
  std::vector<PlannedSuite> suites;
  for (const Job& job : jobs) suites.push_back(job.planned());
  if (const Status some = check_selected(suites); !some) return some;
  std::vector<Job> selected;
  for (std::size_t i = 0; i < jobs.size(); ++i)
    if (suites[i].is_selected()) selected.push_back(std::move(jobs[i]));
  jobs = std::move(selected);
  return {};
}

}  // namespace harness
