// Findings of a comparison and of a summary, as codes with figures. report/words/ puts them into words.
//
// A comment behind a code names its figures. `side` is "baseline" or "current". Shares are fractions, changes
// are ratios less 1, and times have the unit of their name.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "harness/model/fact.h"
#include "harness/schema/enum_names.h"

namespace harness {

// Why a row has its verdict. It does not repeat what the row holds (ratio, interval, margin, sides).
enum class ReasonCode {
  none,
  // judged by the test, or as numbers where the row is exact
  worse,
  better,
  within,
  not_worse,
  slow_calls,  // baseline, current: shares of slow calls
  slow_mean,   // change: of the mean of all calls; baseline, current: shares of slow calls
  slow_open,   // the same; upper: bound of the change that may be above what is allowed
  undecided,
  left_out,           // the row's cause says by what: nothing was measured or proven of it
  not_confirmed,      // first, fresh: changes by the first processes and by those that measured it again
  moved,              // the row's `over_places` tells the figures, also of the next two
  worse_over_places,  // not worse as it was compiled, and worse in the mean over all places
  open_over_places,   // better as it was compiled, and that mean may be worse
  corrected,          // comparisons: beyond the margin by itself, but not after correction for so many
  too_few_processes,  // needed: a side
  too_few_shared,     // shared, needed: processes that ran both builds
  untestable,         // fewer than two processes on a side
  untestable_shared,  // shared
  awaits_look,        // look: processes that the first look needs
  // the same launches of the same machine code on both sides
  proven,
  same_build,    // proven by the build; `unproven` says what the launches lack, if not for the row's metric
  proven_moved,  // cause: the name of the diagnostic that explains it, or no figure
  unproven,      // the current side was only looked at; the row's `unproven` says what the proof lacks
  // a value of 0, without a ratio
  worse_than_any_margin,
  better_than_any_margin,
  zeros_vary,
  // no verdict may rest on the sides
  throttled,     // reasons, baseline, current, tolerated: shares of placements
  contaminated,  // baseline, current: shares of placements; without a figure where it is unknown
  waited,        // side: on which others took more of the CPUs, waited: for a CPU, or only crowded, change,
                 // [cpu]: changes of the time and of the CPU time, [baseline_others, baseline_stolen,
                 // baseline_queue, baseline_held, current_...]
  forced_gates,  // tolerated: share of samples
  // nothing to compare
  new_case,
  unpaired_case,  // only one build of an A/B run has it
  removed_case,
  new_metric,
  removed_metric,
  skipped,                // the row's cause says why
  skipped_now,            // likewise; the baseline measured it
  not_measured,           // outcome: of the current side; the row's cause says why
  baseline_not_measured,  // outcome; the row's cause says why
  no_samples,             // side: "baseline", "current" or "both"
  unusable_sample,        // side, process, value
  wider_tolerance,        // error: beyond the baseline's tolerance; baseline, current: tolerances
  alone_differs,          // together, alone: changes of builds that share processes; processes: alone
  alone_unmeasured,       // side: that was not measured alone
  // not comparable; the row's differences say what differs
  other_pairing,    // side: that shared its processes with another build
  machine_unnamed,  // side, device
  machines_differ,
  other_device,  // device_sd: what allowing it would add, a side
  sampling_differs,
  case_differs,  // it stands for less or other work
  device_kind_differs,
  unit_differs,
  parameters_differ,  // of a case that another tool named
  direction_differs,
  estimator_differs,
  estimator_unknown,  // estimator
  steps_differ,       // share: of the time of kernels that a step launches more or less often
  // a gate that cannot be applied
  bad_margin,
  bad_alpha,
  too_many_looks,  // looks, most
  unordered_looks,
  tiny_look,
};

template <>
inline constexpr auto enum_names<ReasonCode> =
    names<ReasonCode>({{ReasonCode::none, "none"},
                       {ReasonCode::worse, "worse"},
                       {ReasonCode::better, "better"},
                       {ReasonCode::within, "within"},
                       {ReasonCode::not_worse, "not_worse"},
                       {ReasonCode::slow_calls, "slow_calls"},
                       {ReasonCode::slow_mean, "slow_mean"},
                       {ReasonCode::slow_open, "slow_open"},
                       {ReasonCode::undecided, "undecided"},
                       {ReasonCode::left_out, "left_out"},
                       {ReasonCode::not_confirmed, "not_confirmed"},
                       {ReasonCode::moved, "moved"},
                       {ReasonCode::worse_over_places, "worse_over_places"},
                       {ReasonCode::open_over_places, "open_over_places"},
                       {ReasonCode::corrected, "corrected"},
                       {ReasonCode::too_few_processes, "too_few_processes"},
                       {ReasonCode::too_few_shared, "too_few_shared"},
                       {ReasonCode::untestable, "untestable"},
                       {ReasonCode::untestable_shared, "untestable_shared"},
                       {ReasonCode::awaits_look, "awaits_look"},
                       {ReasonCode::proven, "proven"},
                       {ReasonCode::same_build, "same_build"},
                       {ReasonCode::proven_moved, "proven_moved"},
                       {ReasonCode::unproven, "unproven"},
                       {ReasonCode::worse_than_any_margin, "worse_than_any_margin"},
                       {ReasonCode::better_than_any_margin, "better_than_any_margin"},
                       {ReasonCode::zeros_vary, "zeros_vary"},
                       {ReasonCode::throttled, "throttled"},
                       {ReasonCode::contaminated, "contaminated"},
                       {ReasonCode::waited, "waited"},
                       {ReasonCode::forced_gates, "forced_gates"},
                       {ReasonCode::new_case, "new_case"},
                       {ReasonCode::unpaired_case, "unpaired_case"},
                       {ReasonCode::removed_case, "removed_case"},
                       {ReasonCode::new_metric, "new_metric"},
                       {ReasonCode::removed_metric, "removed_metric"},
                       {ReasonCode::skipped, "skipped"},
                       {ReasonCode::skipped_now, "skipped_now"},
                       {ReasonCode::not_measured, "not_measured"},
                       {ReasonCode::baseline_not_measured, "baseline_not_measured"},
                       {ReasonCode::no_samples, "no_samples"},
                       {ReasonCode::unusable_sample, "unusable_sample"},
                       {ReasonCode::wider_tolerance, "wider_tolerance"},
                       {ReasonCode::alone_differs, "alone_differs"},
                       {ReasonCode::alone_unmeasured, "alone_unmeasured"},
                       {ReasonCode::other_pairing, "other_pairing"},
                       {ReasonCode::machine_unnamed, "machine_unnamed"},
                       {ReasonCode::machines_differ, "machines_differ"},
                       {ReasonCode::other_device, "other_device"},
                       {ReasonCode::sampling_differs, "sampling_differs"},
                       {ReasonCode::case_differs, "case_differs"},
                       {ReasonCode::device_kind_differs, "device_kind_differs"},
                       {ReasonCode::unit_differs, "unit_differs"},
                       {ReasonCode::parameters_differ, "parameters_differ"},
                       {ReasonCode::direction_differs, "direction_differs"},
                       {ReasonCode::estimator_differs, "estimator_differs"},
                       {ReasonCode::estimator_unknown, "estimator_unknown"},
                       {ReasonCode::steps_differ, "steps_differ"},
                       {ReasonCode::bad_margin, "bad_margin"},
                       {ReasonCode::bad_alpha, "bad_alpha"},
                       {ReasonCode::too_many_looks, "too_many_looks"},
                       {ReasonCode::unordered_looks, "unordered_looks"},
                       {ReasonCode::tiny_look, "tiny_look"}});

using Reason = Fact<ReasonCode>;

// How the launches of a traced program's steps differ between the sides.
enum class LaunchChange { added, removed, code, shape, count, arguments, order, elsewhere, setup };
template <>
inline constexpr auto enum_names<LaunchChange> = names<LaunchChange>({{LaunchChange::added, "added"},
                                                                      {LaunchChange::removed, "removed"},
                                                                      {LaunchChange::code, "code"},
                                                                      {LaunchChange::shape, "shape"},
                                                                      {LaunchChange::count, "count"},
                                                                      {LaunchChange::arguments, "arguments"},
                                                                      {LaunchChange::order, "order"},
                                                                      {LaunchChange::elsewhere, "elsewhere"},
                                                                      {LaunchChange::setup, "setup"}});

// How what a program found differs.
enum class FileChange { word, setting, variable, machine, content, fresh, gone, names, looks };

template <>
inline constexpr auto enum_names<FileChange> = names<FileChange>({{FileChange::word, "word"},
                                                                  {FileChange::setting, "setting"},
                                                                  {FileChange::variable, "variable"},
                                                                  {FileChange::machine, "machine"},
                                                                  {FileChange::content, "content"},
                                                                  {FileChange::fresh, "fresh"},
                                                                  {FileChange::gone, "gone"},
                                                                  {FileChange::names, "names"},
                                                                  {FileChange::looks, "looks"}});

// The gap in a proof that both sides do the same on the device. `side` is "baseline" or "current".
enum class ProofGapCode {
  not_looked,        // side: nobody read its launches
  unreadable,        // side; the gap's cause says what could not be read
  disagree,          // side: its processes launch different things
  other_rules,       // side: the older one, whose launches were hashed by other rules (digest_rules())
  other_launches,    // other machine code, arguments or order; of a traced program: change (LaunchChange),
                     // kernel: the first that differs, kernels: how many do
  other_workload,    // baseline, current
  other_parameters,  // the gap's differences
  other_seed,        // baseline, current: of the inputs
  other_machine,     // the gap's differences: GPU model, driver, libraries
  inputs_unread,     // side: what a traced program takes from the host; the gap's cause says why
  other_inputs,      // bytes: that differ, of what a traced program takes from the host
  other_files,    // change: a FileChange, name: the first that differs, files: how many do; of a benchmark in
                  // a program's output: none
  files_unasked,  // the baseline's suite does not have `inputs: files`
  measured,       // both sides agree in files, but the current one was measured, and that counts
};
template <>
inline constexpr auto enum_names<ProofGapCode> =
    names<ProofGapCode>({{ProofGapCode::not_looked, "not_looked"},
                         {ProofGapCode::unreadable, "unreadable"},
                         {ProofGapCode::disagree, "disagree"},
                         {ProofGapCode::other_rules, "other_rules"},
                         {ProofGapCode::other_launches, "other_launches"},
                         {ProofGapCode::other_workload, "other_workload"},
                         {ProofGapCode::other_parameters, "other_parameters"},
                         {ProofGapCode::other_seed, "other_seed"},
                         {ProofGapCode::other_machine, "other_machine"},
                         {ProofGapCode::inputs_unread, "inputs_unread"},
                         {ProofGapCode::other_inputs, "other_inputs"},
                         {ProofGapCode::other_files, "other_files"},
                         {ProofGapCode::files_unasked, "files_unasked"},
                         {ProofGapCode::measured, "measured"}});

// One property that differs between the two sides: {"driver", "580.1", "580.2"}. A value is absent where the
// side does not record it.
struct Difference {
  std::string name;
  std::optional<std::string> baseline;
  std::optional<std::string> current;

  bool operator==(const Difference&) const = default;
};

// Why two sides must not be compared, and what differs between them.
struct Obstacle {
  Reason reason;
  std::vector<Difference> differences = {};
};

// Further facts about a row or a summary, each with advice. It never decides.
enum class DiagnosticCode {
  // samples and processes
  empty_processes,  // side, processes: "2, 5"
  forced_gates,     // side (of a row), forced, samples
  zero_variance,    // side, processes
  modes,            // side, groups, gap, counts: "5 and 3"
  drift,            // side, change: from the first process to the last
  correlated,       // side, lag
  slowing,          // side, change: from the first quarter of a placement to the last
  quantised,        // side ("both" too), step, unit, share
  few_processes,    // processes, recommended
  spread,           // ratio, baseline, current: sds
  noisier,          // sd, usual: of its like
  outliers,         // baseline, current: shares of samples
  clock_shift,      // baseline, current: GHz; cycles: their change
  tick_bound,       // us, ticks, tick_us
  launch_bound,     // us, step_us where known
  overlapping,      // times: the sum of the kernels' times over the time in which any of them ran
  // the device
  throttled,      // of a row: reasons, baseline, baseline_known, current, current_known, alike, power_cap
  throttled_run,  // of a summary: reasons, throttled, known, samples, tolerated, beyond, power_cap
  shared_device,  // of a row: most, baseline, baseline_known, current, current_known
  shared_run,     // of a summary: most, shared, known
  temperature,    // baseline, current: C; moved
  power,          // baseline, current: W
  driver_clock,   // baseline, current: MHz
  other_gpu,      // baseline, current: UUIDs; the row is proven identical, so its times are not judged
  // kernels
  other_kernels,  // side, processes: "2, 3", first
  recompiled,     // kernels: "a, b"
  same_code_moved,
  // times by events and by the profiler; side (of a row), events_us, kernels_us
  events_gate,   // the launch gate opened on its deadline
  events_clock,  // the device held its clock down
  events_gaps,   // launches, gap_us, pair_us where known
  events_pair,   // pair_us: the events' own cost
  events_unseen,
  kernels_overlap,
  kernels_slowed,
  traffic,  // read, written, declared where known: bytes a call
  control,  // call_us, batched_us, advise: whether to time in batches
  // values of a summary
  measured_again,   // again, of: processes; those measured a regression again
  unusable_sample,  // process, value, unit, left_out
  some_zeros,
  no_speedup,     // reference
  above_ceiling,  // share, bound: "memory" or "compute"
  tuned_to,       // values: the tuned parameters that ran
  // what would settle an inconclusive row
  more_processes,  // processes: a side
  wider_margin,    // sd, margin, processes, settled: the margin that these processes would have settled
  zero_margin,
  near_margin,           // margin
  near_margin_unpaired,  // margin; an A/B run may help
  sessions_dominate,     // sd, margin
  more_shared,           // processes
  last_look_taken,       // look
  looks_futile,          // look: the last
  baseline_fixed,        // processes, look: the last
  budget_ended,          // budget: seconds; look
  // tuned parameters
  tuned_otherwise,  // baseline, current: values
  // gates that let more pass than the baseline's
  informative_now,
  margin_loosened,  // baseline, current
  alpha_loosened,   // baseline, current
  gate_proposed,    // margin, alpha, informative: of the change; counted_margin, counted_alpha
  // what the change asks of a case, less than the baseline did
  sampling_proposed,   // settings: "processes 10 -> 5, seed 1 -> 2", which do not count
  tolerance_proposed,  // baseline, current, error: within both
  own_tolerance,       // tolerance: of a new case; usual: of the others of its point
  judged_alone,        // together, alone: changes of builds that share processes; processes: alone, a side
  // waivers that do not cover the row: file, line, and
  waiver_expired,   // expires, reason, issue
  waiver_no_ratio,  // ceiling
  waiver_exceeded,  // ceiling, worst
  // cases that look renamed
  renamed_to,    // case
  renamed_from,  // case
};

template <>
inline constexpr auto enum_names<DiagnosticCode> =
    names<DiagnosticCode>({{DiagnosticCode::empty_processes, "empty_processes"},
                           {DiagnosticCode::forced_gates, "forced_gates"},
                           {DiagnosticCode::zero_variance, "zero_variance"},
                           {DiagnosticCode::modes, "modes"},
                           {DiagnosticCode::drift, "drift"},
                           {DiagnosticCode::correlated, "correlated"},
                           {DiagnosticCode::slowing, "slowing"},
                           {DiagnosticCode::quantised, "quantised"},
                           {DiagnosticCode::few_processes, "few_processes"},
                           {DiagnosticCode::spread, "spread"},
                           {DiagnosticCode::noisier, "noisier"},
                           {DiagnosticCode::outliers, "outliers"},
                           {DiagnosticCode::clock_shift, "clock_shift"},
                           {DiagnosticCode::tick_bound, "tick_bound"},
                           {DiagnosticCode::launch_bound, "launch_bound"},
                           {DiagnosticCode::overlapping, "overlapping"},
                           {DiagnosticCode::throttled, "throttled"},
                           {DiagnosticCode::throttled_run, "throttled_run"},
                           {DiagnosticCode::shared_device, "shared_device"},
                           {DiagnosticCode::shared_run, "shared_run"},
                           {DiagnosticCode::measured_again, "measured_again"},
                           {DiagnosticCode::temperature, "temperature"},
                           {DiagnosticCode::power, "power"},
                           {DiagnosticCode::driver_clock, "driver_clock"},
                           {DiagnosticCode::other_gpu, "other_gpu"},
                           {DiagnosticCode::other_kernels, "other_kernels"},
                           {DiagnosticCode::recompiled, "recompiled"},
                           {DiagnosticCode::same_code_moved, "same_code_moved"},
                           {DiagnosticCode::events_gate, "events_gate"},
                           {DiagnosticCode::events_clock, "events_clock"},
                           {DiagnosticCode::events_gaps, "events_gaps"},
                           {DiagnosticCode::events_pair, "events_pair"},
                           {DiagnosticCode::events_unseen, "events_unseen"},
                           {DiagnosticCode::kernels_overlap, "kernels_overlap"},
                           {DiagnosticCode::kernels_slowed, "kernels_slowed"},
                           {DiagnosticCode::traffic, "traffic"},
                           {DiagnosticCode::control, "control"},
                           {DiagnosticCode::unusable_sample, "unusable_sample"},
                           {DiagnosticCode::some_zeros, "some_zeros"},
                           {DiagnosticCode::no_speedup, "no_speedup"},
                           {DiagnosticCode::above_ceiling, "above_ceiling"},
                           {DiagnosticCode::tuned_to, "tuned_to"},
                           {DiagnosticCode::more_processes, "more_processes"},
                           {DiagnosticCode::wider_margin, "wider_margin"},
                           {DiagnosticCode::zero_margin, "zero_margin"},
                           {DiagnosticCode::near_margin, "near_margin"},
                           {DiagnosticCode::near_margin_unpaired, "near_margin_unpaired"},
                           {DiagnosticCode::sessions_dominate, "sessions_dominate"},
                           {DiagnosticCode::more_shared, "more_shared"},
                           {DiagnosticCode::last_look_taken, "last_look_taken"},
                           {DiagnosticCode::looks_futile, "looks_futile"},
                           {DiagnosticCode::baseline_fixed, "baseline_fixed"},
                           {DiagnosticCode::budget_ended, "budget_ended"},
                           {DiagnosticCode::tuned_otherwise, "tuned_otherwise"},
                           {DiagnosticCode::informative_now, "informative_now"},
                           {DiagnosticCode::margin_loosened, "margin_loosened"},
                           {DiagnosticCode::alpha_loosened, "alpha_loosened"},
                           {DiagnosticCode::gate_proposed, "gate_proposed"},
                           {DiagnosticCode::sampling_proposed, "sampling_proposed"},
                           {DiagnosticCode::tolerance_proposed, "tolerance_proposed"},
                           {DiagnosticCode::judged_alone, "judged_alone"},
                           {DiagnosticCode::own_tolerance, "own_tolerance"},
                           {DiagnosticCode::waiver_expired, "waiver_expired"},
                           {DiagnosticCode::waiver_no_ratio, "waiver_no_ratio"},
                           {DiagnosticCode::waiver_exceeded, "waiver_exceeded"},
                           {DiagnosticCode::renamed_to, "renamed_to"},
                           {DiagnosticCode::renamed_from, "renamed_from"}});

using Diagnostic = Fact<DiagnosticCode>;

// A fact about a waiver of the policy.
enum class WaiverAdviceCode {
  expires_soon,     // days: 0 is today
  expired_unused,   // expires
  matches_nothing,  // pattern: the nearest that matches, or no figure
  no_such_metric,   // metric, near: the nearest name, or no figure
  no_room,          // the ceiling is not above the margin
  unused,
  proposed,  // results: that it would cover
};

template <>
inline constexpr auto enum_names<WaiverAdviceCode> =
    names<WaiverAdviceCode>({{WaiverAdviceCode::expires_soon, "expires_soon"},
                             {WaiverAdviceCode::expired_unused, "expired_unused"},
                             {WaiverAdviceCode::matches_nothing, "matches_nothing"},
                             {WaiverAdviceCode::no_such_metric, "no_such_metric"},
                             {WaiverAdviceCode::no_room, "no_room"},
                             {WaiverAdviceCode::unused, "unused"},
                             {WaiverAdviceCode::proposed, "proposed"}});

using WaiverAdvice = Fact<WaiverAdviceCode>;

// A fact about a comparison as a whole.
enum class RemarkCode {
  idle_gate,            // metric, near: the nearest name, or known: "a, b"
  gate_without_values,  // metric, cases: that have a gate of it and no value in the current record
  compared_by,          // how: "process", "session", "stored"; records: pooled; built: the base, by this run
  not_covered,          // metrics: "a, b", that were not measured where a case is proven identical
  traced_proof,    // programs: "a, b", that are proven identical by the launches of their steps; loose: words
                   // of arguments that differ between starts of one build, and do not count; trusted: "a",
                   // whose inputs were not compared
  files_proof,     // programs: "a, b", that are proven identical by what one start found in files
  confirmed,       // cases, processes: regressed cases that were measured again on fresh processes
  unconfirmed,     // cases: regressed cases that were not; reason: "budget" or "option"
  code_shifted,    // cases, places, processes: changed cases that were measured at all places of their code
  code_unshifted,  // cases: "a, b", that were not; reason: a sentence
  places_left_out,  // results: that pass or are undecided, and were not; budget: seconds
  places_open,      // results that pass or are undecided, and may hide a slowdown. worse: the mean over the
                    // places, and they stay; unweighed, fixed, apart: not weighed, moved, in one process
  topped_up,        // look, cases: undecided cases that were measured further, to this look
  top_up_done,      // results, seconds: of all of them
  budget_ended,     // budget: seconds; results: that stay open
  waivers_uncommitted,  // file: it has changes that no commit has, and they do not count
  parameters_untold,    // parameters: "a, b", that the files of one side alone tell; cases
  one_session,          // sd: that is assumed between sessions, since all starts of a side are of one file
  left_out,             // cases, all: that a filter or --set left out, of all that the baseline has
  suites_deleted,       // files: "a, b", that the base has beside this suite, and the change has not
  counters_unread,      // why: a CounterCode, with its figures: red rows are not explained by counters
};

template <>
inline constexpr auto enum_names<RemarkCode> =
    names<RemarkCode>({{RemarkCode::idle_gate, "idle_gate"},
                       {RemarkCode::gate_without_values, "gate_without_values"},
                       {RemarkCode::compared_by, "compared_by"},
                       {RemarkCode::not_covered, "not_covered"},
                       {RemarkCode::traced_proof, "traced_proof"},
                       {RemarkCode::files_proof, "files_proof"},
                       {RemarkCode::confirmed, "confirmed"},
                       {RemarkCode::unconfirmed, "unconfirmed"},
                       {RemarkCode::code_shifted, "code_shifted"},
                       {RemarkCode::code_unshifted, "code_unshifted"},
                       {RemarkCode::places_left_out, "places_left_out"},
                       {RemarkCode::places_open, "places_open"},
                       {RemarkCode::topped_up, "topped_up"},
                       {RemarkCode::top_up_done, "top_up_done"},
                       {RemarkCode::budget_ended, "budget_ended"},
                       {RemarkCode::waivers_uncommitted, "waivers_uncommitted"},
                       {RemarkCode::parameters_untold, "parameters_untold"},
                       {RemarkCode::one_session, "one_session"},
                       {RemarkCode::left_out, "left_out"},
                       {RemarkCode::suites_deleted, "suites_deleted"},
                       {RemarkCode::counters_unread, "counters_unread"}});

using Remark = Fact<RemarkCode>;

}  // namespace harness
