// Run remarks: the sentences around a run's tables. Pure.
#pragma once

#include <string>
#include <vector>

#include "harness/model/document.h"
#include "harness/model/results/summary.h"

namespace harness::report {

// Cases of one outcome other than measured.
struct Unmeasured {
  Outcome outcome = Outcome::failed;
  std::size_t count = 0;
  std::vector<ReasonGroup> reasons;
};

// "NVIDIA H200 · driver 580.1 · measured ceilings: copy 3.9 TB/s": the fields that bear on
// comparing, then the ceilings.
std::string describe_machine(const Machine& machine);

// "3f2c1d9a8b7c on main, with uncommitted changes"
std::string describe_revision(const Revision& revision);

// "INCORRECT", "TIMED OUT", ...
std::string loud_name(Outcome outcome);
// "timed out".
std::string quiet_name(Outcome outcome);

// Why the case has no samples.
std::string why_unmeasured(const Summary& summary);

// Whether a case with this outcome fails nothing: it was skipped, or proven identical by a look.
bool is_harmless(Outcome outcome);

// By outcome, failures first and skipped last.
std::vector<Unmeasured> unmeasured_cases(const std::vector<Summary>& summaries);

std::string run_headline(const Record& record, const std::vector<Summary>& summaries,
                         const std::vector<Unmeasured>& unmeasured);

// The suite, time, revision and machines of the run.
NamedTexts run_facts(const Record& record);

// The meaning of the columns.
Prose run_legend(const std::vector<Summary>& summaries);

// The mean over the samples of one placement that includes the cold first call: for the speedup that it
// distorts most or, without speedups, the time. "" without a first call, or where it makes no difference.
std::string first_call_remark(const Record& record, const std::vector<Summary>& summaries);

}  // namespace harness::report
