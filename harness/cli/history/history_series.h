// Series along a branch, from the records of a store: which record stands for a commit, which are left out,
// and the anchor of each series. No statistics here.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "harness/store/git.h"
#include "harness/store/history.h"
#include "harness/study/trends.h"

namespace harness {

struct SeriesQuery {
  std::string pattern;   // wildcards over case ids; "" : all
  std::string metric;    // as a gate names it; "" : all
  std::size_t last = 0;  // points a series; 0: all
};

// The part of a history that lies in a window of a branch's commits.
struct Window {
  std::vector<Commit> commits;  // newest first
  std::size_t begin = 0;        // the newest one asked for
  std::size_t end = 0;          // after the oldest one asked for
};

// A release that later results are compared with.
struct Anchor {
  TrendAnchor::Kind kind = TrendAnchor::Kind::revision;
  std::string name;
  std::string commit;
  int distance = -1;  // in the window's commits; -1: not among them
  std::string machine_class, device_uuid;
  std::map<std::pair<std::string, std::string>, std::vector<double>> log_values;  // by case and metric
};

struct SeriesOfBranch {
  std::vector<MeasuredSeries> series;  // of the newest run's devices first
  std::size_t measured = 0;            // commits with a record that was used
  std::vector<HistoryNote> notes;      // records that were left out
};

// Failed records are left out, as for a baseline; regressed ones are part of history. For a commit and device
// the newest record of the whole suite counts, or a partial one where no whole one has the case. A series
// goes to the first of `anchors` that has its case, metric and device.
SeriesOfBranch series_of_branch(const StoredHistory& stored, const Window& window, const SeriesQuery& query,
                                const std::vector<Anchor>& anchors);

}  // namespace harness
