// The policy of a comparison as the command line and the waivers file make it: for every command that
// judges.
#pragma once

#include <string>
#include <vector>

#include "harness/model/comparison.h"

namespace CLI {
class App;
}

namespace harness {

struct PolicyArguments {
  std::string margin;  // "" : each case's own
  std::string alpha;
  std::vector<std::string> allow;    // "inconclusive", "missing", "not-comparable"
  std::vector<std::string> fail_on;  // "improved"
  bool allow_other_device = false;
  int min_processes = 0;  // 0: the default
  std::string waivers;    // file; "" : the one beside the suite or under baselines/, where there is one
  bool no_waivers = false;
};

// Declares --margin, --alpha, --allow, --fail-on, --allow-other-device, --min-processes, --waivers and
// --no-waivers.
void add_policy_options(CLI::App& command, PolicyArguments& arguments);

// All but the waivers. Today is the clock's, or $HARNESS_TODAY (a date), which asks what a policy will say
// on another day.
Result<Policy> make_policy(const PolicyArguments& arguments);

// `policy` with the waivers of the named file, else of `waivers.yaml` beside the suite file, else of
// baselines/waivers.yaml.
Checked<Policy> with_waivers(Policy policy, const PolicyArguments& arguments, const std::string& suite_file);

// The first of these options that was given, such as "--margin"; "" when none was.
std::string policy_option_given(const PolicyArguments& arguments);

// An error when a policy was given and no `baseline`, which `option` names, to judge by: it would be ignored.
Status check_policy_is_used(const PolicyArguments& arguments, const std::string& baseline,
                            const std::string& option = "--baseline");

// The waivers that a judgement may be made by: the named file, else those beside `suite_file` ("": not
// known yet) and under baselines/ where there are any.
std::vector<std::string> policy_files(const PolicyArguments& arguments, const std::string& suite_file);

// Says on standard error what an allowance or --fail-on made of the exit status.
void explain_status(const Comparison& comparison, int status);

}  // namespace harness
