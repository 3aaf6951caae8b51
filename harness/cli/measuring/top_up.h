// Continues undecided cases of a record from one declared look to the next, until they are decided, no look
// is left, or the time is used up. Results go to the same record at once, so a killed run keeps them.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "harness/cli/measuring/measure_into.h"
#include "harness/model/results/comparison.h"

namespace harness {

// Writes the declared looks into the gates of the plan: --looks, else the suite's, else, for a run that will
// be compared, 1, 2 and 4 times the processes of each case.
void declare_looks(Plan& plan, const std::optional<std::vector<int>>& looks, bool compared);

struct TopUpOptions {
  const Plan& plan;  // sampling and gates as in the record
  const Prepared& prepared;
  const Record& baseline;
  const Policy& policy;
  Seconds budget = 0;
  bool quiet = false;
};

// Cases that were measured up to the same look.
struct TopUpStage {
  int processes = 0;
  int cases = 0;
};

struct TopUp {
  std::vector<TopUpStage> stages;
  std::size_t results = 0;  // measured by it
  Seconds took = 0;
  Seconds budget = 0;
  bool ended = false;  // by the budget, with undecided cases left
  bool interrupted = false;
};

// Undecided cases that decide something and that their next look may decide, with that look's number of
// processes.
std::map<std::string, int> open_cases(const Comparison& comparison);

// Measures the cases that compare() finds undecided and likely to be decided by their next look. `record` is
// loaded again after each look.
Result<TopUp> top_up(Store& store, Record& record, const TopUpOptions& options);

// Adds to the comparison how many cases were measured further, how long that took, and which cases the budget
// left undecided.
void tell(const TopUp& done, Comparison& comparison);

}  // namespace harness
