// The parts of `history` that other commands share: series along a branch from a store.
#pragma once

#include <string>

#include "harness/cli/history/history_series.h"
#include "harness/model/case_trend.h"
#include "harness/store/store.h"

namespace harness {

struct HistoryArguments {
  std::string pattern;
  std::string branch;  // "" : main, or HEAD where there is none
  std::string suite;   // "" : the only one in the store
  std::string metric;
  std::string since;  // revision or date
  std::size_t last = 0;
  std::string anchor;  // revision; "" : the pinned baseline
  std::string margin;  // "" : each case's own
};

// Reads, selects and looks for trends. The repository is that of `folder`.
Result<HistoryReport> make_history(Store& store, const HistoryArguments& arguments,
                                   const std::string& folder);

}  // namespace harness
