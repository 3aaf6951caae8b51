// Run table: what a run's table says, whatever the medium. One grid a metric; the header's facts; the
// cases without numbers, by outcome and reason. Pure.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "harness/report/documents/identity.h"
#include "harness/report/grid.h"
#include "harness/report/report.h"

namespace harness::report {

struct MetricTable {
  std::string title;  // "gpu_time, in us (lower is better)"
  Grid grid;
};

// Cases of one outcome other than measured.
struct Unmeasured {
  Outcome outcome = Outcome::failed;
  std::size_t count = 0;
  std::vector<ReasonGroup> reasons;
};

struct RunReport {
  std::string headline;  // "fusion: 6 of 9 cases measured, 1 incorrect, 2 skipped"
  bool healthy = true;   // nothing failed, timed out or was incorrect
  std::vector<std::pair<std::string, std::string>> facts;  // name and value, untrusted
  std::vector<MetricTable> tables;
  std::vector<std::string> legend;
  std::string first_call_remark;  // what a cold mean would have claimed, or ""
  std::vector<Unmeasured> unmeasured;
  std::vector<ReasonGroup> notes;  // by note, with the cases that it was made on
};

RunReport describe_run(const Record& record, const std::vector<Summary>& summaries);

// "NVIDIA H200 · driver 580.1 · measured ceilings: copy 3.9 TB/s": the fields that bear on
// comparing, then the ceilings.
std::string describe_machine(const Machine& machine);

// "3f2c1d9a8b7c on main, with uncommitted changes"
std::string describe_revision(const Revision& revision);

// "INCORRECT", "TIMED OUT", ...
std::string loud_name(Outcome outcome);

}  // namespace harness::report
