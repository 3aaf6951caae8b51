// Makes a history from a store and a repository: series along a branch, and their trends.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "harness/cli/history/history_series.h"
#include "harness/cli/options/policy_options.h"
#include "harness/model/results/case_trend.h"
#include "harness/store/store.h"

namespace harness {

// Only commits since a revision or a day.
struct HistoryStart {
  std::string revision;
  std::string day;  // "2026-11-20"
};

struct HistoryArguments {
  std::string pattern;
  std::string branch;  // "" : main, or HEAD where there is none
  std::string suite;   // "" : the only one in the store
  std::string metric;
  std::optional<HistoryStart> since{};
  std::size_t last = 0;
  std::string anchor;  // revision; "" : the pinned baseline
  MarginOption margin;
};

// The suites of which the store has results, by name. ErrorKind::missing when there are none.
Result<std::vector<std::string>> suites_of(Store& store);

// Reads, selects and looks for trends. The repository is that of `folder`.
Result<HistoryReport> make_history(Store& store, const HistoryArguments& arguments,
                                   const std::string& folder);

}  // namespace harness
