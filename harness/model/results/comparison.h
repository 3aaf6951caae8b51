// Comparison: the verdict on every case and metric of two records, with its evidence. Made by verdict/,
// put into words by report/.
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "harness/model/results/findings.h"
#include "harness/model/results/policy.h"
#include "harness/model/results/summary.h"
#include "harness/schema/rare.h"

namespace harness {

enum class Verdict {
  identical,       // proven, whatever was measured: the same machine code and launches, or the same build
  environment,     // identical, and yet the times differ: the machine changed, not the code
  moved,           // the time changed with the place of the code, and not in the mean over all places
  not_worse,       // not worse by more than the margin; perhaps better
  unchanged,       // both bounds of the effect lie inside the margin
  improved,        // better by more than the margin, after correction
  regressed,       // worse by more than the margin, after correction
  inconclusive,    // none of the three could be shown
  missing,         // one side has no such case, metric or baseline
  not_comparable,  // hardware or settings of the sides must not be compared
  failed,          // the current side failed, timed out or computed a wrong result
  skipped,         // the current side cannot run here, and says why
};

template <>
inline constexpr auto enum_names<Verdict> = names<Verdict>({{Verdict::identical, "identical"},
                                                            {Verdict::environment, "environment"},
                                                            {Verdict::moved, "moved"},
                                                            {Verdict::not_worse, "not_worse"},
                                                            {Verdict::unchanged, "unchanged"},
                                                            {Verdict::improved, "improved"},
                                                            {Verdict::regressed, "regressed"},
                                                            {Verdict::inconclusive, "inconclusive"},
                                                            {Verdict::missing, "missing"},
                                                            {Verdict::not_comparable, "not_comparable"},
                                                            {Verdict::failed, "failed"},
                                                            {Verdict::skipped, "skipped"}});

// How one device kernel inside a case differs between two records.
struct KernelChange {
  enum class Kind { moved, appeared, vanished, reshaped };  // reshaped: registers, shared memory, grid, block
  Kind kind = Kind::moved;
  std::optional<KernelUse> baseline;
  std::optional<KernelUse> current;
  double share = 0;  // share of the change of all kernels; 0: unknown

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

// How the variance of a process value was judged: shrunk towards the usual one of cases with this metric,
// device and similar length in both records. All sds are of logs.
struct Moderation {
  double own_sd = 0;  // of a process value, or of log ratios where both builds shared the processes
  double own_freedom = 0;
  double usual_sd = 0;
  double usual_freedom = 0;  // degrees of freedom of the usual sd
  double sd = 0;             // that the test used
  bool noisier = false;      // its own sd is improbable among the others, and used as it is

  bool operator==(const Moderation&) const = default;
};

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
  std::vector<int> declared = {};  // processes a side; empty: one look at all
  int number = 0;                  // the look of the verdict and numbers, from 1; 0: none was reached
  std::optional<int> next = {};    // processes at the next look, where more processes may decide the row
};

// The gate of the current side, where it is looser than the baseline's. It does not count.
struct ProposedGate {
  double margin = 0;
  double alpha = 0;
  double throttled = 0;
  bool informative = false;
  std::string unit = {};  // of the margin; "": a share
};

// The gate that the baseline was measured with, where the current side's is looser and counts.
struct LoosenedGate {
  double margin = 0;
  double alpha = 0;
  bool informative = false;
  bool regressed = false;  // by that gate, before any correction
  std::string unit = {};   // of the margin; "": a share
};

// Why the launches of a row's sides do not prove that both do the same on the device.
struct ProofGap {
  Fact<ProofGapCode> why;
  std::optional<Cause> cause = {};  // why a side's launches could not be read
  std::vector<Difference> differences = {};
};

// The cases that provably do the same in two records, so that they need no samples, and why others do not.
struct Proofs {
  std::set<std::string> proven = {};          // ids
  std::set<std::string> of_one_build = {};    // those of them that the build proves with all their metrics
  std::set<std::string> by_build = {};        // those of them whose launches prove nothing
  std::set<std::string> by_files = {};        // those of them that files prove
  std::map<std::string, ProofGap> gaps = {};  // by id
};

// An estimate of a row's ratio by some of its processes.
struct Estimate {
  double ratio = 0;
  std::optional<Interval> interval;
  std::optional<double> p;  // as ComparisonRow::p
  int processes = 0;        // of the current side
};

// A regression, measured again by fresh processes. It stands when these alone show it.
struct Confirmation {
  bool confirmed = false;
  Estimate first;    // by the processes that called it
  Estimate fresh;    // by those that measured it again
  Estimate pooled;   // by all; shown where the regression was not confirmed
  double alpha = 0;  // below which the p of the fresh ones confirms
};

// A change that was measured with the code of both builds at each place that counts
// (verdict/place/over_places.h).
struct OverPlaces {
  double ratio = 0;                  // of the means over the places
  std::optional<Interval> interval;  // as ComparisonRow::interval
  std::optional<double> p;           // as ComparisonRow::p
  std::optional<double> p_passes;    // as ComparisonRow::p_passes
  int places = 0;                    // of the code
  int processes = 0;                 // at each place
  double sd = 0;                     // of the log of the change, between places
  double lowest = 0, highest = 0;    // the baseline at its best and worst place, over the baseline as it is
  int best_shift = 0;                // of the current side's best place, in instructions
  double best = 0;                   // the current side's value there, in the metric's unit
};

// The change of a row whose margin is in the metric's own unit. Its values are compared as they are, without
// logs (verdict/unit/unit_values.h).
struct UnitChange {
  double margin = 0;
  std::string unit = {};                  // of the margin: "points", "bytes", "absolute"
  double difference = 0;                  // current - baseline
  std::optional<Interval> interval = {};  // of the difference, as ComparisonRow::interval
  bool by_process = false;                // processes of the same number, hence seed, were compared
};

struct ChangeCauses;  // change_causes.h

struct ComparisonRow {
  std::string case_id;
  std::string metric;
  std::string unit;
  Direction direction = Direction::lower_is_better;
  Verdict verdict = Verdict::missing;
  Reason reason;
  Rare<Cause> cause = {};               // why a side was not measured, where the reason says so
  std::vector<Difference> differences;  // differences that forbid the comparison, where the reason says so
  std::vector<Diagnostic> diagnostics;
  Side baseline;
  Side current;
  double margin = 0;  // a share; of a margin in the metric's unit, its share of the baseline's value
  double alpha = 0;
  double throttled_share = Gate{}.throttled;  // largest share of a side's placements for a verdict
  // current over baseline. For a "lower is better" metric above 1 is worse.
  double ratio = 0;
  std::optional<Interval> interval;  // of the ratio, at 1 - 2 alpha_to_pass(): each bound by itself
  double degrees_of_freedom = 0;
  std::optional<double> p;           // H0 "not worse by more than the margin", one-sided, at this look
  std::optional<double> p_adjusted;  // for the looks (Bonferroni), then for all judged rows (Holm)
  std::optional<double> p_passes;    // H0 "worse by the margin or more"; it passes below alpha_to_pass()
  std::optional<double> p_improved;  // H0 "not better by more than the margin"
  std::optional<double> p_improved_adjusted;
  std::optional<double> minimum_detectable;  // true ratio - 1 found with 80 % power, margin included
  std::optional<int> processes_needed;       // processes a side, when inconclusive
  LookState look;
  bool proven = false;                // the verdict follows from a proof
  bool by_build = false;              // and that is of the build, not of the launches
  bool by_files = false;              // and that is of the files that a program read
  Rare<ProofGap> unproven;            // why launches prove nothing, where they were read
  Rare<Confirmation> confirmation;    // of a regression that was measured again
  Rare<OverPlaces> over_places = {};  // of a change that was measured at all places of its code
  std::vector<KernelChange> kernels;  // largest share of the case's change first
  Rare<Waiver> waiver;                // accepts the regressed or undecided row
  bool informative = false;           // decides nothing (see MetricGate)
  bool one_file = false;              // a side is one file: file_session_sd counts
  Rare<LoosenedGate> loosened;        // since the baseline
  bool exact = false;                 // neither side varies at all: compared as numbers, without a test
  Location where;                     // in the suite
  Rare<ProposedGate> proposed = {};
  Rare<UnitChange> in_unit = {};  // where the margin is in the metric's unit
  // Why the time changed; null where it did not, or where nothing tells.
  std::shared_ptr<const ChangeCauses> causes = {};
};

// The level of one look: alpha shared out evenly over those declared (Bonferroni).
double alpha_of_look(const ComparisonRow& row);

// The level at which a row passes, whatever its alpha, shared out over the declared looks. It is not
// corrected for many rows, because a wrong pass hides one slowdown of just the margin.
inline constexpr double passing_alpha = 0.05;
double alpha_to_pass(const ComparisonRow& row);

// Whether a verdict says that the code is not slower.
bool is_pass(Verdict verdict);

// How a record was found. `name`: the revision as the user named it.
enum class SourceCode {
  none,        // there is no record
  this_run,    // measured by this very command
  file,        // path, unfinished
  record,      // unfinished: named by its id
  revision,    // name, changes: "same", "unknown" or "other" than those of the tree, where it has some
  ancestor,    // name, fork: the commit whose merge base with `name` was asked for, where it is one
  pinned,      // path, commit: that the file was read at; name and fork as above
  ab_commit,   // name: a side of an A/B run; fork as above
  ab_build,    // folder: likewise
  ab_command,  // command: likewise
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
                                                                  {SourceCode::ab_build, "ab_build"},
                                                                  {SourceCode::ab_command, "ab_command"}});

// Where a side came from. Figures of `found`: `passed_over` counts nearer records that were left out for some
// case; `regressed`, `failed`, `undecided` and `incomplete` tell why. `pooled` counts the records that
// samples come from, `least` and `most` the processes of a case. `pin_error` is why the pinned file was not
// read.
struct RecordSource {
  std::string id;  // record UUID, or ""
  Fact<SourceCode> found;
  Revision revision;
  std::string device;                     // "NVIDIA H200 GPU-1234"
  int distance = 0;                       // commits between the requested and the found one
  std::vector<std::string> records = {};  // a baseline of several records: their ids, nearest first
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
  std::string session = {};                    // the session of both sides, or ""
  std::vector<ComparisonRow> rows;             // worst first: by verdict, then by size of effect
  std::vector<MachineDifference> differences;  // of warn-class fields
  Verdict verdict = Verdict::unchanged;        // of the whole
  std::vector<PolicyFact> policy_facts;        // the policy in force, in the order to print
  std::vector<WaiverUse> waivers;              // in the order of the file
  std::vector<Remark> remarks;
  // Programs that were perhaps not built again: their files are the baseline's, and the commits have other
  // sources.
  std::vector<std::string> unbuilt = {};
};

// Whether the gate of the baseline would have called the row regressed, and nothing does now.
bool hides_regression(const ComparisonRow& row);

// Whether the row affects the verdict and the exit code: informative and waived rows do not.
bool decides(const ComparisonRow& row);

// The overall verdict of the rows that decide: failed, then regressed, then missing/not_comparable, then
// inconclusive, then improved, then unchanged; skipped only when nothing else is there.
Verdict overall_verdict(const std::vector<ComparisonRow>& rows);

// The worst verdict of a case's rows that are not informative, and whether all its failures are waived.
// Missing and skipped cases were not judged and have none.
struct CaseVerdict {
  std::string case_id;
  Verdict verdict = Verdict::unchanged;
  bool waived = false;
};
std::vector<CaseVerdict> case_verdicts(const std::vector<ComparisonRow>& rows);

// Whether a case with this verdict may serve as a baseline: it did not regress or fail, and was decided or
// cannot be.
bool may_be_baseline(const CaseVerdict& verdict);

// The overall verdict as if nothing were waived.
Verdict verdict_without_waivers(const std::vector<ComparisonRow>& rows);

// The exit code of `compare` and `run --against`: 0 no regression; 1 regressed, or improved where the policy
// fails on that; 3 inconclusive; 4 missing, not comparable, or nothing compared; 5 failed. When several
// apply: 5, 1, 4, 3. Allowances turn 3 and 4 into 0; nothing compared needs `allow_skipped`.
int exit_code(const Comparison& comparison);
// The same by another policy than the comparison's.
int exit_code_by(const Policy& policy, const Comparison& comparison);

}  // namespace harness
