// The policy that a command judges by, as the command line gives it.
#pragma once

#include <initializer_list>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "harness/model/results/comparison.h"

namespace CLI {
class App;
class Option;
}  // namespace CLI

namespace harness {

// Changes this small do not matter.
struct MarginOption {
  std::optional<double> margin{};  // not given: each case's own

  CLI::Option* add_to(CLI::App& command);  // --margin
};

class PolicyOptions {
 public:
  // --margin, --alpha, --allow, --fail-on, --allow-other-device, --min-processes, --waivers,
  // --accept-proposed, --no-waivers.
  void add_to(CLI::App& command);

  // The first of these options, or of those `among` them, that was given, such as "--margin"; else "".
  [[nodiscard]] std::string given(std::initializer_list<std::string_view> among = {}) const;

  // All but the waivers. Today is the clock's day, or that of HARNESS_TODAY, which cannot be earlier.
  [[nodiscard]] Result<Policy> policy() const;

  // The file of the waivers: the one that was named, else waivers.yaml beside the suite file, else
  // baselines/waivers.yaml. "": there is none, or --no-waivers was given.
  [[nodiscard]] std::string waivers_file(const std::string& suite_file) const;

  // `policy` with the waivers of that file as it is; decide_waivers() tells which of them count.
  [[nodiscard]] Checked<Policy> with_waivers(Policy policy, const std::string& suite_file) const;

  // --allow stale: the program and its plug-ins may be built from other sources than those that are checked
  // out.
  [[nodiscard]] bool allows_stale() const { return stale_; }

  // An error when one of these options was given without a `baseline` (named by `option`), because it would
  // be ignored. `--allow skipped` and `stale` concern every run.
  [[nodiscard]] Status check_used(const std::string& baseline,
                                  const std::string& option = "--baseline") const;

 private:
  Policy given_;  // without today and waivers
  MarginOption margin_;
  std::string waivers_;
  bool no_waivers_ = false;
  bool stale_ = false;
  std::vector<const CLI::Option*> declared_;
};

}  // namespace harness
