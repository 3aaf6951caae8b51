// Topping up: a record whose open cases are measured on, from one declared look to the next, until they are
// decided, the looks are used up or the time for it is. Results go to the same record, one by one, so that a
// killed run keeps them.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "harness/cli/measuring/measure_into.h"
#include "harness/model/comparison.h"

namespace CLI {
class App;
}

namespace harness {

struct LookArguments {
  std::string looks;          // "5,10,20"; "1": a single look; "" : as the suite says, else by default
  std::string budget = "5m";  // wall time for measuring on
};

void add_looks_option(CLI::App& command, LookArguments& arguments);
void add_budget_option(CLI::App& command, LookArguments& arguments);

// Writes into the gates of the plan at which numbers of processes results will be looked at: those of the
// command line, else the suite's, else, for a run that will be compared, 1, 2 and 4 times the processes of
// each case. An error when the command line's make no sense.
Status declare_looks(Plan& plan, const LookArguments& arguments, bool compared);

// Whether --budget is a duration.
Status check_budget(const LookArguments& arguments);

struct TopUpOptions {
  const Plan& plan;  // sampling and gates as in the record
  const Prepared& prepared;
  const Record& baseline;
  const Policy& policy;
  const LookArguments& looks;  // its budget
  bool quiet = false;
};

struct TopUp {
  std::vector<std::string> stages;  // "look 2: 3 cases"
  std::size_t results = 0;          // measured by it
  Seconds took = 0;
  std::string budget = {};  // as it was given
  bool ended = false;       // by the budget, with open cases left
  bool interrupted = false;
};

// Measures on what compare() leaves open and says may be settled; `record` is loaded again after each look.
Result<TopUp> top_up(Store& store, Record& record, const TopUpOptions& options);

// Tells in the comparison how many cases were measured on, what that cost, and which ones the budget left.
void tell(const TopUp& done, Comparison& comparison);

}  // namespace harness
