// Comparison: the verdict on every case and metric of two records, with its evidence. Made by verdict/,
// put into words by report/.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "harness/model/results/findings.h"
#include "harness/model/results/summary.h"

namespace harness {

enum class Verdict {
  unchanged,       // both bounds of the effect lie inside the margin
  improved,        // better by more than the margin, after correction
  regressed,       // worse by more than the margin, after correction
  inconclusive,    // none of the three could be shown
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

// How much results of one build vary between sessions and devices, learned by `harness calibrate`: sds of
// log values.
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

// The subject of a policy's value.
enum class PolicyCode {
  margin,          // value, or least and most where rows differ
  alpha,           // likewise
  informative,     // metrics: "a, b"
  gates_loosened,  // results, hidden: of them, regressed by the baseline's gate
  processes,       // needed, usual, shared: whether they count processes that ran both builds
  paired,          // shared: an A/B run in the same processes; else in processes that took turns
  one_session,     // session: that both records name
  sessions,        // sd; where calibrations taught more: least, most, results
  other_device,    // sd
  allowed,         // verdicts: "missing, inconclusive", or no figure
  improvements,    // fail: whether an improvement fails
  waivers,         // holds, exceeded, expired, unused, unmatched: how many
};

template <>
inline constexpr auto enum_names<PolicyCode> = names<PolicyCode>({{PolicyCode::margin, "margin"},
                                                                  {PolicyCode::alpha, "alpha"},
                                                                  {PolicyCode::informative, "informative"},
                                                                  {PolicyCode::gates_loosened,
                                                                   "gates_loosened"},
                                                                  {PolicyCode::processes, "processes"},
                                                                  {PolicyCode::paired, "paired"},
                                                                  {PolicyCode::one_session, "one_session"},
                                                                  {PolicyCode::sessions, "sessions"},
                                                                  {PolicyCode::other_device, "other_device"},
                                                                  {PolicyCode::allowed, "allowed"},
                                                                  {PolicyCode::improvements, "improvements"},
                                                                  {PolicyCode::waivers, "waivers"}});

enum class PolicyOrigin { standard, suite, command_line, waivers_file, calibration, ab_run, records };

template <>
inline constexpr auto enum_names<PolicyOrigin> =
    names<PolicyOrigin>({{PolicyOrigin::standard, "standard"},
                         {PolicyOrigin::suite, "suite"},
                         {PolicyOrigin::command_line, "command_line"},
                         {PolicyOrigin::waivers_file, "waivers_file"},
                         {PolicyOrigin::calibration, "calibration"},
                         {PolicyOrigin::ab_run, "ab_run"},
                         {PolicyOrigin::records, "records"}});

// One value of the policy in force, and where it comes from.
struct PolicyFact {
  Fact<PolicyCode> value;
  PolicyOrigin origin = PolicyOrigin::standard;
};

// The result of one waiver of the policy. A row is decided by the narrowest waiver that matches it.
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
  int waived = 0;   // rows that do not fail because of it
  int refused = 0;  // rows that fail although it matches them
  std::vector<WaiverAdvice> advice;
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
  Kind kind = Kind::moved;
  std::optional<KernelUse> baseline;
  std::optional<KernelUse> current;
  double share = 0;  // of the change of all kernels together; 0 where it says nothing

  // By which reports call it.
  [[nodiscard]] const std::string& name() const { return current ? current->name : baseline->name; }
  // Current over baseline time of a call; 0 unless both sides have it.
  [[nodiscard]] double ratio() const;
};

template <>
inline constexpr auto enum_names<KernelChange::Kind> =
    names<KernelChange::Kind>({{KernelChange::Kind::moved, "moved"},
                               {KernelChange::Kind::appeared, "appeared"},
                               {KernelChange::Kind::vanished, "vanished"},
                               {KernelChange::Kind::reshaped, "reshaped"}});

// Time of all launches of the kernel in one call, in us.
double time_of(const KernelUse& kernel);

// One side of a row.
struct Side {
  int processes = 0;
  double center = 0;                   // geometric mean of the process values, in the metric's unit
  double process_sd = 0;               // of log process values
  double outlier_rate = 0;             // far outliers / samples
  std::vector<double> process_values;  // in process order
};

// Where a row stands among the looks (interim analyses) that its gate declared.
struct LookState {
  std::vector<int> declared = {};  // processes a side; empty: one look at all there are
  int number = 0;                // of the look that verdict and numbers rest on, from 1; 0: none was reached
  std::optional<int> next = {};  // processes at the next look, where more processes may decide the row
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
  Reason reason;
  std::optional<Cause> cause = {};      // why a side was not measured, where the reason says so
  std::vector<Difference> differences;  // that forbid the comparison, where the reason says so
  std::vector<Diagnostic> diagnostics;
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
  bool exact = false;                    // neither side varies at all: compared as numbers, without a test
  Location where;                        // in the suite
};

// The level of one look: alpha shared out evenly over those declared (Bonferroni).
double alpha_of_look(const ComparisonRow& row);

// How a record was found. `name`: the revision as the user named it.
enum class SourceCode {
  none,       // there is no record
  this_run,   // measured by this very command
  file,       // path, unfinished
  record,     // unfinished: named by its id
  revision,   // name, changes: "same", "unknown" or "other" than those of the tree, where it has some
  ancestor,   // name, fork: the commit whose merge base with `name` was asked for, where it is one
  pinned,     // path, commit: that the file was read at; name and fork as above
  ab_commit,  // name: a side of an A/B run
  ab_build,   // folder: likewise
};

template <>
inline constexpr auto enum_names<SourceCode> = names<SourceCode>({{SourceCode::none, "none"},
                                                                  {SourceCode::this_run, "this_run"},
                                                                  {SourceCode::file, "file"},
                                                                  {SourceCode::record, "record"},
                                                                  {SourceCode::revision, "revision"},
                                                                  {SourceCode::ancestor, "ancestor"},
                                                                  {SourceCode::pinned, "pinned"},
                                                                  {SourceCode::ab_commit, "ab_commit"},
                                                                  {SourceCode::ab_build, "ab_build"}});

// Where a side came from. `found` may also have the figures `passed_over` (nearer records that were left
// out), `regressed` and `failed` (whether some of those did), and `pin_error` (why the pinned file was not
// read).
struct RecordSource {
  std::string id;  // record UUID, or ""
  Fact<SourceCode> found;
  Revision revision;
  std::string device;  // "NVIDIA H200 GPU-1234"
  int distance = 0;    // commits between what was asked for and what was found
};

// A difference between two machines that does not forbid a comparison.
struct MachineDifference {
  std::string device;  // kind, where the records name several; else ""
  Difference field;

  bool operator==(const MachineDifference&) const = default;
};

struct Comparison {
  std::string suite;
  std::string suite_file;
  RecordSource baseline;
  RecordSource current;
  Policy policy;
  std::optional<Pairing::Kind> pairing = {};   // both sides are of one A/B run
  std::string session = {};                    // that both sides say they were measured in, or ""
  std::vector<ComparisonRow> rows;             // worst first: by verdict, then by size of effect
  std::vector<MachineDifference> differences;  // of warn-class fields
  Verdict verdict = Verdict::unchanged;        // of the whole
  std::vector<PolicyFact> policy_facts;        // the policy in force, in the order to print
  std::vector<WaiverUse> waivers;              // in the order of the file
  std::vector<Remark> remarks;
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
