// Measures regressed cases again, on fresh processes, before they fail a build (verdict/decide/confirm.h).
#pragma once

#include <set>
#include <string>

#include "harness/cli/measuring/top_up.h"
#include "harness/model/results/comparison.h"

namespace harness {

struct ConfirmOptions {
  const Plan& plan;  // sampling and gates as in the record
  const Prepared& prepared;
  const Record& baseline;
  const Policy& policy;
  bool wanted = true;
  Seconds budget = 0;
  bool quiet = false;
};

struct Confirming {
  int cases = 0;      // measured again
  int processes = 0;  // largest number for one case
  int open = 0;       // regressed cases that were not measured again, or not to the end
  bool wanted = true;
  bool interrupted = false;
};

// The cases with a regressed row that decides and that fresh processes can confirm.
std::set<std::string> red_cases(const Comparison& comparison);

// The cases of builds that share processes which are called worse or better, or whose processes with one
// build each say otherwise.
std::set<std::string> doubtful_cases(const Comparison& comparison);

// The plan of fresh processes for these cases: as many as each declared.
Plan plan_of_red(const Plan& whole, const std::set<std::string>& red);

// Measures the regressed cases of `record` again within the budget, into the same record, which is then
// loaded again.
Result<Confirming> confirm_red(Store& store, Record& record, const ConfirmOptions& options);

// The work after all cases were measured: on undecided cases, and on regressed ones.
struct Continued {
  TopUp undecided = {};
  Confirming red = {};

  [[nodiscard]] bool interrupted() const { return undecided.interrupted || red.interrupted; }
};

// Adds how the sides were compared, when both have samples. `instead`: the baseline's commit was built and
// measured in this run, because no stored record can judge.
void tell_way(Comparison& comparison, bool instead = false);

// Adds to the comparison which cases were continued, which were measured again, and which were not.
void tell(const Continued& done, Comparison& comparison);
void tell(const Confirming& done, Comparison& comparison);
// The same from the rows alone. `wanted`: without --no-confirm.
void tell_confirmations(Comparison& comparison, bool wanted);

}  // namespace harness
