// Trend: how a metric of a case moved along a branch on one device. Holds the findings of three tests: the
// newest result against an anchor, a CUSUM against slow creep, and change points. Made by study/trends.h.
// Plain data.
#pragma once

#include <cstddef>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "harness/model/alerts/alert_rates.h"
#include "harness/model/fact.h"
#include "harness/model/results/summary.h"
#include "harness/schema/enum_names.h"

namespace harness {

// One measured commit.
struct TrendPoint {
  std::string commit;
  std::string date;     // of the commit, UTC
  std::string subject;  // first line of its message
  std::string record;   // id
  int distance = 0;     // commits between it and the branch's newest, along first parents
  int processes = 0;
  double center = 0;                 // geometric mean of the process values, in the metric's unit
  double process_sd = 0;             // of log process values
  std::optional<Interval> interval;  // of center, at 99 %; absent with one process

  bool operator==(const TrendPoint&) const = default;
};

// A lasting change: the commits in (before, first] hold its cause.
struct TrendChange {
  std::size_t index = 0;  // of the first point after it
  std::string before;     // the last commit measured before it
  std::string first;      // the first commit measured with it
  int unmeasured = 0;     // commits between these two
  double ratio = 1;       // after over before
  Interval interval;      // of the ratio, at 99 %
  double p = 1;           // permutation test of the largest split
  double p_adjusted = 1;  // Benjamini-Hochberg over all series
  bool worse = false;
  bool matters = false;  // beyond the margin
  bool after_anchor = false;
};

// CUSUM of the log ratios to the anchor: a shift of a margin that came in steps too small for the gate.
struct TrendCreep {
  std::size_t index = 0;    // of the point that raised the alarm
  std::size_t started = 0;  // of the first point of the shift
  double ratio = 1;         // that point over the anchor
};

// The result that later points are compared with.
struct TrendAnchor {
  enum class Kind { oldest, revision, pinned };
  Kind kind = Kind::oldest;
  std::string name;  // the revision as named, or the path of the pinned file; "" for the oldest point
  std::string commit;
  int distance = 0;  // as of a point; -1 when the commit is not in this history
  int processes = 0;
  double center = 0;
};

// The newest point against the anchor.
struct TrendStanding {
  double ratio = 1;
  Interval interval;  // of the ratio, at 1 - 2 alpha
  double p = 1;       // H0 "not worse by more than the margin"
  double p_adjusted = 1;
  bool worse = false;  // p_adjusted below alpha
};

struct Trend {
  std::string case_id;
  std::string device;  // kind
  std::string machine_class;
  std::string device_uuid;
  std::string metric;
  std::string unit;
  Direction direction = Direction::lower_is_better;
  double margin = 0;
  double alpha = 0;
  bool informative = false;        // decides nothing (see MetricGate)
  double session_sd = 0.001;       // of log values, between sessions: usual, or from calibrations
  std::vector<TrendPoint> points;  // oldest first
  std::optional<TrendAnchor> anchor;
  std::optional<TrendStanding> newest;
  std::optional<TrendCreep> creep;   // for the worse
  std::vector<TrendChange> changes;  // oldest first
};

// Whether a test found a change for the worse after the anchor in a metric that decides.
inline bool got_worse(const Trend& trend) {
  if (trend.informative) return false;
  if (trend.creep || (trend.newest && trend.newest->worse)) return true;
  for (const TrendChange& change : trend.changes)
    if (change.worse && change.matters && change.after_anchor) return true;
  return false;
}

// The verdict of a case in a record, by record and case; "" and absent: never judged.
using CaseVerdicts = std::map<std::pair<std::string, std::string>, std::string>;

// Why records are no points of a series. Figure: records.
enum class HistoryNoteCode {
  calibration,
  ab_side,  // one side of an A/B run
  unfinished,
  uncommitted,  // measured with uncommitted changes
  failed,       // a case failed or was incorrect
  no_revision,
  other_branch,
  shallow,  // no `records`: commits that this clone lacks
};

template <>
inline constexpr auto enum_names<HistoryNoteCode> =
    names<HistoryNoteCode>({{HistoryNoteCode::calibration, "calibration"},
                            {HistoryNoteCode::ab_side, "ab_side"},
                            {HistoryNoteCode::unfinished, "unfinished"},
                            {HistoryNoteCode::uncommitted, "uncommitted"},
                            {HistoryNoteCode::failed, "failed"},
                            {HistoryNoteCode::no_revision, "no_revision"},
                            {HistoryNoteCode::other_branch, "other_branch"},
                            {HistoryNoteCode::shallow, "shallow"}});

using HistoryNote = Fact<HistoryNoteCode>;

struct HistoryReport {
  std::string suite;
  std::string branch;
  std::string head;                  // its newest commit
  std::size_t commits = 0;           // of the branch that were looked at
  std::size_t measured = 0;          // of them: with a record that was used
  double alpha = 0;                  // of change points, after correction
  double session_sd = 0;             // where no calibration says
  std::vector<HistoryNote> notes;    // records that were left out
  std::vector<Trend> trends;         // of the newest record's devices first, as in its suite
  std::optional<AlertRates> alerts;  // none: only a part of the history was read
};

}  // namespace harness
