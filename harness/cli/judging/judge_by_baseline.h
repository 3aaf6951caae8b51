// Judging one record by another: the second half of `compare` and of `run --against`.
#pragma once

#include <functional>
#include <set>
#include <string>

#include "harness/cli/output/render_with_sources.h"
#include "harness/model/results/comparison.h"
#include "harness/store/select.h"

namespace harness {

// Names the baseline and says what to do with it and with the verdict.
struct BaselineChoice {
  std::string name;  // revision, record or file
  SelectOptions select;
  std::function<void(Record&)> adapt = {};
  bool keep_verdict = false;                       // of the current side, in the store
  std::function<void(Comparison&)> annotate = {};  // what the comparison itself cannot know
  std::string advice_if_missing = {};              // what else the user can do without a baseline
  bool first_passes = false;  // the first record on a device has nothing to be compared with and passes
  bool report_only = false;   // the verdict is told, but it is not the exit status
  // Cases that `adapt` takes from the baseline, because the current side left them out, stay undecided.
  bool left_out_counts = true;
  std::set<std::string> other_devices = {};  // kinds that --device left out: their cases do not
};

// Finds the baseline for `current`, compares by the policy as it is and adds the report, which keeps the
// record. Returns the exit status.
int judge_by_baseline(Store& store, const BaselineChoice& choice, Selected current, const Policy& policy,
                      SuiteOutputs& outputs, const Reproduction& made_by);

// Two sides and what comparing them told.
struct ComparedSides {
  Selected baseline, current;
  Comparison comparison;
};

// The end of judge_by_baseline(). `explain`: with explain_status().
int report_comparison(Store& store, const BaselineChoice& choice, ComparedSides sides, bool explain,
                      SuiteOutputs& outputs, const Reproduction& made_by);

// Says on standard error what an allowance or --fail-on made of the exit status.
void explain_status(const Comparison& comparison, int status);

}  // namespace harness
