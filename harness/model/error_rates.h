// Selftest: how often the rule that decides is wrong, by simulation and by halves of what this machine
// measured. Made by compare/selftest.h, rendered by report/selftest.h. Plain data.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "harness/model/summary.h"

namespace harness {

// A share of trials, and what it must not be shown to lie above.
struct ErrorRate {
  std::size_t hits = 0;
  std::size_t trials = 0;
  double limit = 1;   // nominal; 1: no error, so none
  Interval bounds;    // of the share, Clopper-Pearson at `confidence` of the report
  double surely = 0;  // the lower bound at that confidence for all rates of the report together (Bonferroni)

  [[nodiscard]] bool exceeds() const { return surely > limit; }
  [[nodiscard]] double share() const {
    return trials == 0 ? 0 : static_cast<double>(hits) / static_cast<double>(trials);
  }
};

// What became of one kind of noise measured in one way.
struct SelftestRow {
  std::string noise;        // "normal", "AR(1) 0.9"
  std::string plan;         // "P = 5", "looks 5/10/20", "5 shared"
  ErrorRate unchanged_red;  // suites in which nothing differs and a case is called regressed
  ErrorRate called;         // cases slower by exactly the margin and called regressed, each by itself
  ErrorRate family_called;  // suites of such cases with any called, after Holm
  ErrorRate passed;         // cases slower by exactly the margin and called unchanged
  ErrorRate found;          // cases slower by `found_change` and called regressed, after Holm
};

// One case of a run on this machine, whose random halves were compared.
struct SelftestCase {
  std::string case_id;
  std::string metric;
  std::size_t alarms = 0;  // splits in which it was called regressed
};

// A/A on this machine: random halves of the processes of one run.
struct SelftestRun {
  std::string suite;
  std::string device;
  int processes = 0;  // a side; 0: there were too few to split
  ErrorRate red;      // splits with any case called regressed; splits share processes
  std::vector<SelftestCase> cases;
  std::vector<std::string> notes;
};

struct SelftestReport {
  std::uint64_t seed = 1;
  std::size_t splits = 0;
  double confidence = 0.99;
  double margin = 0;
  double alpha = 0;
  double found_change = 0;
  std::size_t cases = 0;  // of a simulated suite
  std::vector<SelftestRow> rows;
  std::vector<SelftestRun> runs;     // none, or the one of --aa
  std::vector<std::string> remarks;  // limits that are not nominal, and why
};

// Whether no rate is shown to lie above its limit.
bool passes(const SelftestRow& row);
bool passes(const SelftestReport& report);

}  // namespace harness
