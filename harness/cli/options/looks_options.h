// When results are looked at, and how long undecided cases may be measured further.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "harness/base/units.h"

namespace CLI {
class App;
}

namespace harness {

// Numbers of processes a side at which cases are judged.
struct LooksOption {
  std::optional<std::vector<int>> looks{};  // empty list: a single look; not given: as the suite says

  void add_to(CLI::App& command);  // --looks
};

// Time for measuring undecided cases up to their next look.
struct BudgetOption {
  Seconds budget = 300;

  // --budget; `usual`: what `budget` is, for the help.
  void add_to(CLI::App& command,
              const std::string& about =
                  "time for measuring undecided cases up to their next look, e.g. 90s; 0s: none",
              const std::string& usual = "5m");
};

}  // namespace harness
