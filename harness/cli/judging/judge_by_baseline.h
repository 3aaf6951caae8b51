// Judging one record by another: the second half of `compare` and of `run --against`.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "harness/cli/options/policy_options.h"
#include "harness/cli/output/emit.h"
#include "harness/model/comparison.h"
#include "harness/store/select.h"

namespace harness {

// Which baseline, what to do to it before comparing, and who wants to know the verdict.
struct BaselineChoice {
  std::string name;  // revision, record or file
  SelectOptions select;
  std::function<void(Record&)> adapt = {};
  std::function<Status(Verdict)> on_verdict = {};  // as if nothing were waived
  std::function<void(Comparison&)> annotate = {};  // what the comparison itself cannot know
  bool report_only = false;                        // the verdict is told, but it is not the exit status
};

// The store at `url` for reading: a default store that is not there yet is an empty one, because both
// sides may be files; any other is an error.
Result<std::unique_ptr<Store>> open_for_reading(const std::string& url);

// The record that `name` (revision, record or file) stands for, from the store at `url`, read only.
// `suite` chooses where a revision has records of several; "" otherwise.
Result<Selected> read_record(const std::string& url, const std::string& name, const std::string& suite);

// The policy in force where `current` is judged: the command line's, the waivers (beside the record's suite
// unless a file is named), and what the store's calibrations taught. Every command that compares two records
// takes it from here or, where waivers are read before measuring, adds with_learned() itself: they agree.
Checked<Policy> effective_policy(Store& store, const PolicyArguments& arguments, const Record& current);

// Finds the baseline for `current`, compares by the policy as it is, prints and writes the reports. Returns
// the exit status.
int judge(Store& store, const BaselineChoice& choice, const Selected& current, const Policy& policy,
          const OutputArguments& output);

}  // namespace harness
