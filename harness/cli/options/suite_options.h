// The options that select from a suite and set how much is measured.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "harness/cli/options/device_option.h"
#include "harness/suite/plan/set_axes.h"

namespace CLI {
class App;
class Option;
}  // namespace CLI

namespace harness {

// Wildcards or /regular expressions/ over the names of cases; `!` in front leaves out.
struct FilterOption {
  std::vector<std::string> patterns;

  CLI::Option* add_to(CLI::App& command);  // --filter
};

// Plugins besides those of the suite.
struct ModuleOption {
  std::vector<std::string> files;

  CLI::Option* add_to(CLI::App& command);  // --module
};

struct SuiteOptions {
  std::string suite;
  FilterOption filter;
  std::vector<std::string> tags;
  ModuleOption modules;
  DeviceOption device;
  std::optional<int> processes{}, placements{}, samples{};  // not given: as the suite says
  std::optional<std::uint64_t> seed{};
  std::vector<AxisValues> axes;  // values instead of the suite's
  bool quick = false;            // a look that takes seconds; only `run` has the option
  bool arms = false;             // the values that `harness tune` tries, instead of the cases
  bool of_several = false;       // suites: filters and tags need select none of this one

  // SUITE, --filter, --tag, --module, --device, --set, --processes, --placements, --samples, --seed. Returns
  // SUITE.
  CLI::Option* add_to(CLI::App& command);
  // The same for a command that takes several suites.
  CLI::Option* add_several_to(CLI::App& command, std::vector<std::string>& suites);

  // Whether the cases are not the suite's: some are left out by name or tag, or an axis has other values.
  [[nodiscard]] bool selects() const { return !filter.patterns.empty() || !tags.empty() || !axes.empty(); }
  // All but the suite, for the command line of another program. For one of several suites, filters and tags
  // are left out too, because that program takes one that selects no case for an error.
  [[nodiscard]] std::vector<std::string> words() const;

 private:
  void add_settings_to(CLI::App& command);
};

}  // namespace harness
