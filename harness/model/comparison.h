// Comparison: the verdict on every case and metric of two records, with its evidence. Made by
// verdict/, rendered by report/.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "harness/model/summary.h"

namespace harness {

enum class Verdict {
  unchanged,       // both bounds of the effect lie inside the margin
  improved,        // better by more than the margin, after correction
  regressed,       // worse by more than the margin, after correction
  inconclusive,    // neither: more processes would settle it
  missing,         // one side has no such case, metric or baseline
  not_comparable,  // both sides exist but on hardware or settings that must not be compared
  failed,          // the current side failed, timed out or computed a wrong result
  skipped,         // the current side cannot run here, and says why
};
template <>
inline constexpr auto enum_names<Verdict> = names<Verdict>({{Verdict::unchanged, "unchanged"},
                                                            {Verdict::improved, "improved"},
                                                            {Verdict::regressed, "regressed"},
                                                            {Verdict::inconclusive, "inconclusive"},
                                                            {Verdict::missing, "missing"},
                                                            {Verdict::not_comparable, "not_comparable"},
                                                            {Verdict::failed, "failed"},
                                                            {Verdict::skipped, "skipped"}});

// A regression that the team has accepted for a while, kept in git beside the code.
struct Waiver {
  std::string pattern;  // of case ids, wildcards * and ?
  std::string metric;   // "" : every metric
  double ceiling = 0;   // the worst change that it covers: 0.05 is 5 % worse
  std::string expires;  // the last day on which it holds, "2026-12-31", UTC
  std::string reason;
  std::string issue;  // where it is tracked, or ""
  Location where;

  bool operator==(const Waiver&) const = default;
};

// How much results of one build vary beyond their processes, learned by `harness calibrate`: sds of log
// values.
struct LearnedSpread {
  std::string case_id;
  std::string metric;
  double session_sd = 0;  // between sessions on one device, once a side
  double device_sd = 0;   // between devices of one class, likewise
  int sessions = 0;       // that it was learned from
  int devices = 0;

  bool operator==(const LearnedSpread&) const = default;
};

// How records are judged. Values set here (from the command line) win over each case's own gate.
struct Policy {
  std::optional<double> margin;
  std::optional<double> alpha;
  bool allow_inconclusive = false;          // exit 3 -> 0, with a warning
  bool allow_missing = false;               // exit 4 -> 0 where a side has no counterpart, with a warning
  bool allow_not_comparable = false;        // exit 4 -> 0 where sides must not be compared, with a warning
  bool allow_other_device = false;          // another GPU of the same model may be compared
  double session_sd = 0.001;                // sd of log time between sessions on one device, once a side
  double device_sd = 0.003;                 // between devices of one model, when allowed, once a side
  std::vector<LearnedSpread> learned = {};  // wins over these two where it knows the case and metric
  int min_processes = 5;                    // fewer on a side: inconclusive
  int min_shared_processes = 3;             // likewise, of those that held both builds (an A/B run)
  bool fail_on_improved = false;            // an improvement is exit 1: the baseline is stale
  std::vector<Waiver> waivers = {};
  std::string waivers_file = {};  // that they were read from, "" : none
  std::string today = {};         // UTC date that waivers expire against, "2026-11-20"; "" : none holds
};

// One value of the policy in force, for people: {"margin", "1 %", "default"}.
struct PolicyFact {
  std::string name;
  std::string value;
  std::string source;  // "default", "suite suites/a.yaml", "command line", "waivers.yaml"
};

// What became of one waiver of the policy. A row is decided by the narrowest waiver that matches it.
struct WaiverUse {
  enum class State {
    holds,      // every regression that it decides about stays within its ceiling
    exceeded,   // at least one may lie above its ceiling: that one fails
    expired,    // a regression that it decides about fails again
    unused,     // no regression to decide about
    unmatched,  // no case of either side has such a name
  };
  Waiver waiver;
  State state = State::unused;
  int waived = 0;                   // rows that do not fail because of it
  int refused = 0;                  // rows that fail although it matches them
  std::vector<std::string> advice;  // "expires in 3 days", "matches no case; did you mean ...?"
};
template <>
inline constexpr auto enum_names<WaiverUse::State> =
    names<WaiverUse::State>({{WaiverUse::State::holds, "holds"},
                             {WaiverUse::State::exceeded, "exceeded"},
                             {WaiverUse::State::expired, "expired"},
                             {WaiverUse::State::unused, "unused"},
                             {WaiverUse::State::unmatched, "unmatched"}});

// How one device kernel inside a case differs between two records.
struct KernelChange {
  enum class Kind { moved, appeared, vanished, reshaped };  // reshaped: registers, shared memory, grid, block
  std::string kernel;
  Kind kind = Kind::moved;
  double ratio = 0;  // current over baseline time of a call, when both sides have it
  std::string what;  // "registers 64 -> 96, dynamic shared memory 48 KiB -> 100 KiB"
};

// One side of a row.
struct Side {
  int processes = 0;
  double center = 0;                   // geometric mean of the process values, in the metric's unit
  double process_sd = 0;               // of log process values
  double outlier_rate = 0;             // far outliers / samples
  std::vector<double> process_values;  // in process order
};

// Where a row stands among the looks that its gate declared.
struct LookState {
  std::vector<int> declared = {};  // processes a side; empty: one look at all there are
  int number = 0;                // of the look that verdict and numbers rest on, from 1; 0: none was reached
  std::optional<int> next = {};  // processes at the next look, where measuring on may settle the row
};

// What settles a row that was not compared or decided. The rows say it in words; this is for the steps of the
// whole.
enum class Remedy {
  as_advised,         // the row's own advice
  more_processes,     // on both sides
  session_or_margin,  // no number of processes: one session for both sides, or another margin
  cool_device,        // it held its clock down
  free_device,        // others used it
  launch_gate,        // it opened on its deadline
  next_baseline,      // the case or metric is new
  restore_case,       // the case or metric was removed
};

// The gate that the baseline was measured with, where the current side's lets more pass.
struct LoosenedGate {
  double margin = 0;
  double alpha = 0;
  bool informative = false;
  bool regressed = false;  // the row, by that gate and by itself: before any correction
};

struct ComparisonRow {
  std::string case_id;
  std::string metric;
  std::string unit;
  Direction direction = Direction::lower_is_better;
  Verdict verdict = Verdict::missing;
  std::string reason;               // one sentence: why this verdict
  std::vector<std::string> advice;  // what to do; diagnostics in words
  Side baseline;
  Side current;
  double margin = 0;
  double alpha = 0;
  double throttled_share = Gate{}.throttled;  // of a side's placements, beyond which there is no verdict
  // current over baseline. For a "lower is better" metric above 1 is worse.
  double ratio = 0;
  std::optional<Interval> interval;  // of the ratio, at 1 - 2 alpha_of_look(), not adjusted for many rows
  double degrees_of_freedom = 0;
  std::optional<double> p;           // H0 "not worse by more than the margin", one-sided, at this look
  std::optional<double> p_adjusted;  // for the looks (Bonferroni), then for all judged rows (Holm)
  std::optional<double> p_improved;  // H0 "not better by more than the margin"
  std::optional<double> p_improved_adjusted;
  std::optional<double> minimum_detectable;  // true ratio - 1 found with 80 % power, margin included
  std::optional<int> processes_needed;       // a side, when inconclusive
  LookState look;
  std::vector<KernelChange> kernels;     // largest share of the case's change first
  std::optional<Waiver> waiver;          // of a regressed row: it holds, so the row does not fail the build
  bool informative = false;              // decides nothing (see MetricGate)
  std::optional<LoosenedGate> loosened;  // since the baseline
  Remedy remedy = Remedy::as_advised;
  bool exact = false;  // neither side varies at all: compared as numbers, without a test
  Location where;      // in the suite
};

// The level of one look: alpha shared out evenly over those declared (Bonferroni).
double alpha_of_look(const ComparisonRow& row);

// Where a side came from.
struct RecordSource {
  std::string id;         // record UUID, or ""
  std::string described;  // "abc1234 (merge base of main and HEAD)", "file base.json"
  Revision revision;
  std::string device;  // "NVIDIA H200 GPU-1234"
  int distance = 0;    // commits between what was asked for and what was found
};

struct Comparison {
  std::string suite;
  std::string suite_file;
  RecordSource baseline;
  RecordSource current;
  Policy policy;
  std::optional<Pairing::Kind> pairing = {};  // both sides are of one A/B run
  std::string session = {};                   // that both sides say they were measured in, or ""
  std::vector<ComparisonRow> rows;            // worst first: by verdict, then by size of effect
  std::vector<std::string> differences;       // "driver: 580.1 -> 580.2", warn-class fields
  Verdict verdict = Verdict::unchanged;       // of the whole
  std::vector<PolicyFact> policy_facts;       // the policy in force, in the order to print
  std::vector<WaiverUse> waivers;             // in the order of the file
  std::vector<std::string> remarks;           // on the policy, in words: gates that match no metric
};

// Whether the gate of the baseline would have called the row regressed, and nothing does now.
bool hides_regression(const ComparisonRow& row);

// Whether the row bears on the verdict and the exit code: informative rows and waived regressions do not.
bool decides(const ComparisonRow& row);

// The overall verdict of the rows that decide: failed, then regressed, then missing/not_comparable, then
// inconclusive, then improved, then unchanged; skipped only when nothing else is there.
Verdict overall_verdict(const std::vector<ComparisonRow>& rows);

// The same as if nothing were waived: a record with an accepted regression still must not become the
// baseline by running, or the next one would be measured from there.
Verdict verdict_without_waivers(const std::vector<ComparisonRow>& rows);

// The exit code of `compare` and `run --against`: 0 no regression, 1 regressed (or improved, when the
// policy fails on that), 3 inconclusive, 4 missing or not comparable, or nothing compared at all,
// 5 failed. When several apply: 5, 1, 4, 3. Allowances turn 3 and 4 into 0.
int exit_code(const Comparison& comparison);

}  // namespace harness
