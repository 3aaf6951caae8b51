// Plan outline: what `harness list` says, whatever the medium. Pure.
#pragma once

#include <string>
#include <vector>

#include "harness/report/documents/identity.h"
#include "harness/report/grid.h"
#include "harness/report/report.h"

namespace harness::report {

struct PlanReport {
  std::string headline;  // "fusion: 24 cases, 6 run here, 18 skipped"
  std::vector<std::pair<std::string, std::string>> facts;
  Grid grid;                         // the cases that run
  std::vector<ReasonGroup> skipped;  // by reason
  std::size_t skipped_count = 0;
};

// How much a plan measures. `longest` is the sum over cases of processes x max_time, in seconds: what
// sampling may take at most, start-up and verification not included.
struct PlanSize {
  unsigned long long samples = 0;
  int processes = 0;  // of the case that has most
  double longest = 0;
};

PlanSize size_of(const Plan& plan);

PlanReport describe_plan(const Plan& plan);

// "5 x 5 x 50 cold": processes, placements, samples, cache mode.
std::string describe_sampling(const Sampling& sampling);

}  // namespace harness::report
