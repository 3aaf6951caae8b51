// Judging one record by another: the second half of `compare` and of `run --against`.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "harness/cli/output.h"
#include "harness/model/comparison.h"
#include "harness/store/select.h"

namespace CLI {
class App;
}

namespace harness {

struct PolicyArguments {
  std::string margin;  // "" : each case's own
  std::string alpha;
  std::vector<std::string> allow;  // "inconclusive", "missing"
  bool allow_other_device = false;
};

// Declares --margin, --alpha, --allow and --allow-other-device.
void add_policy_options(CLI::App& command, PolicyArguments& arguments);
Result<Policy> make_policy(const PolicyArguments& arguments);

// Which baseline, and what to do to it before comparing (nothing when empty).
struct BaselineChoice {
  std::string name;  // revision or file
  SelectOptions select;
  std::function<void(Record&)> adapt = {};
};

// Finds the baseline for `current`, compares, prints and writes the reports. Returns the exit status.
int judge(Store& store, const BaselineChoice& choice, const Selected& current, const Policy& policy,
          const OutputArguments& output);

}  // namespace harness
