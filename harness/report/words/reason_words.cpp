#include "harness/report/words/reason_words.h"

#include <fmt/format.h>

#include <algorithm>

#include "harness/base/text.h"
#include "harness/base/units.h"
#include "harness/report/numbers.h"
#include "harness/report/row_change.h"
#include "harness/report/words/cause_words.h"
#include "harness/report/words/diagnostic_words.h"
#include "harness/report/words/observed/file_words.h"

namespace harness::report {
namespace {

// "+4.12 %".
std::string change_text(double ratio) {
  return signed_percent(ratio - 1);
}

std::string value_text(double value, const std::string& unit) {
  return fmt::format("{}{}", value, after_number(unit));
}

// Whether the values vary from seed to seed, and their change does not.
bool varies_by_seed(const ComparisonRow& row) {
  return row.in_unit && (row.baseline.process_sd > 0 || row.current.process_sd > 0);
}

// "64 B -> 72 B (+12.50 %), the same in every sample".
std::string exact_change(const ComparisonRow& row) {
  const double before = row.baseline.center, after = row.current.center;
  std::string text = value_text(after, row.unit);
  if (before != after) text = value_text(before, row.unit) + " -> " + text;
  if (row.in_unit)
    text += fmt::format(" ({})", change_words(row));
  else if (row.ratio > 0)
    text += fmt::format(" ({})", change_text(row.ratio));
  return text + (varies_by_seed(row) ? ", the same change in every process" : ", the same in every sample");
}

std::string judged(const ComparisonRow& row, const char* what) {
  return fmt::format("{} the margin of {}: {}", what, margin_words(row),
                     row.exact ? exact_change(row) : change_with_interval(row));
}

std::string within(const ComparisonRow& row) {
  if (row.exact && varies_by_seed(row) && row.in_unit->difference == 0)
    return fmt::format("exactly the same in each of {} processes", row.current.processes);
  if (row.exact && row.baseline.center == row.current.center)
    return fmt::format("exactly the same: {} in every sample", value_text(row.current.center, row.unit));
  return judged(row, "within");
}

bool has_figure(const Reason& reason, const std::string& name) {
  return std::any_of(reason.figures.begin(), reason.figures.end(),
                     [&](const Figure& figure) { return figure.name == name; });
}

std::string share_or_unknown(const Reason& reason, const char* side) {
  if (!has_figure(reason, side)) return "an unknown share";
  return fmt::format("{:.0f} %", reason.number(side) * 100);
}

// "others kept 1.93 CPUs busy, 0.05 on the baseline's side", for each figure of the load that one side tells.
std::string waited_words(const Reason& reason) {
  const bool current = reason.text("side") == "current";
  const std::string side = current ? "current" : "baseline", other = current ? "baseline" : "current";
  std::vector<std::string> parts;
  const auto add = [&](const std::string& figure, const char* text) {
    if (!has_figure(reason, side + figure) || !(reason.number(side + figure) > 0)) return;
    const std::string before = has_figure(reason, other + figure)
                                   ? fmt::format("{:.2f}", reason.number(other + figure))
                                   : std::string("an unknown number");
    parts.push_back(fmt::format(fmt::runtime(text), fmt::format("{:.2f}", reason.number(side + figure)),
                                before, current ? "the baseline's" : "the current"));
  };
  add("_others", "others kept {} CPUs busy, {} on {} side");
  add("_stolen", "other guests of the machine took {} CPUs, {} on {} side");
  add("_queue", "{} other threads ran or waited to, {} on {} side");
  add("_held", "a CPU quota held back {} CPUs, {} on {} side");
  const std::string cpu = has_figure(reason, "cpu") ? fmt::format(", while the CPU time changed by {}",
                                                                  signed_percent(reason.number("cpu")))
                                                    : std::string();
  const char* what = reason.count("waited") > 0 ? current ? "waiting" : "the baseline waited"
                     : current                  ? "beside others"
                                                : "the baseline ran beside others";
  return fmt::format("{}: {}{}; {}", what, signed_percent(reason.number("change")), cpu, join(parts, "; "));
}

std::string corrected(const ComparisonRow& row) {
  const std::size_t looks = row.look.declared.size();
  return fmt::format("{} is beyond the margin of {} by itself, but not after correction for {}{} comparisons",
                     change_with_interval(row), margin_words(row),
                     looks > 1 ? fmt::format("{} looks and ", looks) : "", row.reason.count("comparisons"));
}

std::string too_few_processes(const ComparisonRow& row) {
  const auto needed = static_cast<int>(row.reason.count("needed"));
  const int before = std::max(needed - row.baseline.processes, 0);
  const int after = std::max(needed - row.current.processes, 0);
  const std::string lacking =
      before == after ? fmt::format("{} more of each", before)
      : after == 0    ? fmt::format("{} more of the baseline", before)
      : before == 0   ? fmt::format("{} more of the current side", after)
                      : fmt::format("{} more of the baseline and {} of the current side", before, after);
  return fmt::format("{} against {} processes: a verdict needs {} a side, {}", row.baseline.processes,
                     row.current.processes, needed, lacking);
}

// "0 in all 5 processes", "0 in 2 of 5 processes", "0.11 to 0.15 in 5 processes".
std::string zeros_text(const Side& side, const std::string& unit) {
  const std::vector<double>& values = side.process_values;
  const auto zeros = static_cast<std::size_t>(std::count(values.begin(), values.end(), 0.0));
  if (values.empty()) return "no value";
  if (zeros == values.size()) return fmt::format("0{} in all {} processes", after_number(unit), zeros);
  if (zeros > 0) return fmt::format("0{} in {} of {} processes", after_number(unit), zeros, values.size());
  const auto [least, most] = std::minmax_element(values.begin(), values.end());
  return fmt::format("{:.4g} to {:.4g}{} in {} processes", *least, *most, after_number(unit), values.size());
}

std::string zeros_of_both(const ComparisonRow& row) {
  return fmt::format("{} of the baseline, {} of the current side", zeros_text(row.baseline, row.unit),
                     zeros_text(row.current, row.unit));
}

std::string differences_text(const std::vector<Difference>& differences) {
  std::vector<std::string> parts;
  for (const Difference& difference : differences) parts.push_back(words(difference));
  return join(parts, "; ");
}

std::string outcome_words(const Reason& reason, const std::optional<Cause>& cause) {
  const std::string outcome = reason.text("outcome");
  const std::string name = outcome == name_of(Outcome::timed_out) ? "timed out" : outcome;
  return cause ? name + ": " + words(*cause) : name;
}

std::string cause_or_none(const ComparisonRow& row) {
  return row.cause ? words(*row.cause) : "without a reason given";
}

// "the baseline", "the current side", "neither side".
std::string lacking_side(const std::string& side) {
  if (side == "both") return "neither side holds";
  return side == "baseline" ? "the baseline holds no" : "the current side holds no";
}

std::string no_samples(const ComparisonRow& row) {
  const std::string metric = row.metric.empty() ? "" : fmt::format(" of `{}`", row.metric);
  const std::string side = row.reason.text("side");
  return fmt::format("{}{} samples{}", lacking_side(side), side == "both" ? " any" : "", metric);
}

std::string undecided_words(const ComparisonRow& row) {
  if (is_beyond_at_passing_level(row))
    return fmt::format("{}: beyond the margin of {} at {}, not at {}, which calling it worse needs",
                       change_with_interval(row), margin_words(row), plain_percent(alpha_to_pass(row)),
                       plain_percent(alpha_of_look(row)));
  return fmt::format("{}: may be worse by the margin of {}, and is not clearly worse",
                     change_with_interval(row), margin_words(row));
}

std::string not_confirmed(const ComparisonRow& row, const Reason& reason) {
  const std::string device = reason.text("first_device"), other = reason.text("fresh_device");
  std::string text =
      fmt::format("not confirmed: {} at first{}, {} when it was measured again{}",
                  signed_percent(reason.number("first")), device.empty() ? "" : " on " + device,
                  signed_percent(reason.number("fresh")), other.empty() ? "" : " on " + other);
  if (row.confirmation) {
    const Estimate& fresh = row.confirmation->fresh;
    text += fmt::format("{} {} fresh processes", other.empty() ? " on" : ", by", fresh.processes);
    if (fresh.interval) text += " " + percent_bounds(*fresh.interval);
    if (fresh.p)
      text += fmt::format(", where p is {} and has to be below {:.4g}", probability(fresh.p),
                          row.confirmation->alpha);
    text += fmt::format("; {} over all", change_with_interval(row));
  }
  return text;
}

std::string confirmed(const ComparisonRow& row) {
  if (!row.confirmation || !row.confirmation->confirmed) return {};
  return fmt::format("; {} fresh processes confirm it: {}", row.confirmation->fresh.processes,
                     change_text(row.confirmation->fresh.ratio));
}

// "+0.08 % [-0.02, +0.18] % in the mean over 8 places of the code".
std::string places_text(const OverPlaces& places) {
  return fmt::format("{}{} in the mean over {} places of the code", change_text(places.ratio),
                     places.interval ? " " + percent_bounds(*places.interval) : "", places.places);
}

// "the baseline's time varies by -0.88 % to +1.40 % with its place"
std::string variation(const OverPlaces& places) {
  return fmt::format("the baseline's time varies by {} to {} with its place", change_text(places.lowest),
                     change_text(places.highest));
}

std::string moved(const ComparisonRow& row) {
  if (!row.over_places) return change_with_interval(row);
  return fmt::format("{}; {}; {}, within the margin of {}", change_text(row.ratio),
                     variation(*row.over_places), places_text(*row.over_places), margin_words(row));
}

// A change that is not of the place alone.
std::string at_places(const ComparisonRow& row) {
  if (!row.over_places) return {};
  std::string text =
      fmt::format("; {}, where {}", places_text(*row.over_places), variation(*row.over_places));
  if (has_figure(row.reason, "at_same_place"))
    text += fmt::format(
        "; it is not shown that the place explains this: the build changes by {}, its copies at the same "
        "place by {}",
        signed_percent(row.reason.number("as_compiled")), signed_percent(row.reason.number("at_same_place")));
  return text;
}

// It lies at a better place than the baseline, and is not better in the mean.
std::string lucky(const ComparisonRow& row, const char* relation) {
  return fmt::format("{} as it lies, and yet {} the margin of {}{}", change_text(row.ratio), relation,
                     margin_words(row), at_places(row));
}

std::string environment_cause(const std::string& diagnostic) {
  if (diagnostic == name_of(DiagnosticCode::shared_device)) return "other processes used the device";
  if (diagnostic == name_of(DiagnosticCode::throttled)) return "the device lowered its clock";
  if (diagnostic == name_of(DiagnosticCode::clock_shift) ||
      diagnostic == name_of(DiagnosticCode::driver_clock))
    return "its clock moved";
  if (diagnostic == name_of(DiagnosticCode::temperature)) return "its temperature changed";
  if (diagnostic == name_of(DiagnosticCode::power)) return "its power changed";
  return "no cause was seen";
}

std::string proof_words(const ComparisonRow& row, const Reason& reason) {
  switch (reason.code) {
    case ReasonCode::proven:
      return row.by_files
                 ? "the same command, files and environment: no change of them can have changed its time"
                 : "same machine code, same launches: the code cannot have changed its time";
    case ReasonCode::same_build:
      return "same build in the same environment: the code cannot have changed its time";
    case ReasonCode::proven_moved:
      return fmt::format(
          "same machine code, same launches, and yet {}: the environment changed, not the code; {}",
          row.exact ? exact_change(row) : change_with_interval(row), environment_cause(reason.text("cause")));
    case ReasonCode::unproven:
      return fmt::format("not measured, and not proven identical: {}",
                         row.unproven ? words(*row.unproven) : "its launches were not read");
    default: return {};
  }
}

// "15.0 %".
std::string share_text(const Reason& reason, const char* side) {
  return fmt::format("{:.1f} %", 100 * reason.number(side));
}

std::string tested(const ComparisonRow& row, const Reason& reason) {
  switch (reason.code) {
    case ReasonCode::worse: return judged(row, "worse by more than") + confirmed(row) + at_places(row);
    case ReasonCode::moved: return moved(row);
    case ReasonCode::worse_over_places: return lucky(row, "worse by more than");
    case ReasonCode::open_over_places: return lucky(row, "perhaps worse by more than");
    case ReasonCode::not_confirmed: return not_confirmed(row, reason) + at_places(row);
    case ReasonCode::better: return judged(row, "better by more than") + at_places(row);
    case ReasonCode::within: return within(row) + at_places(row);
    case ReasonCode::not_worse: return judged(row, "not worse by more than") + at_places(row);
    case ReasonCode::slow_calls:
      return fmt::format("slow calls: {} of them take over a tenth longer than usual, {} before",
                         share_text(reason, "current"), share_text(reason, "baseline"));
    case ReasonCode::slow_mean:
      return fmt::format(
          "the mean of all calls is {} worse, though the trimmed mean is not: {} are slow, {} before",
          plain_percent(reason.number("change")), share_text(reason, "current"),
          share_text(reason, "baseline"));
    case ReasonCode::slow_open:
      return fmt::format(
          "the mean of all calls is {} worse and may be {} worse, though the trimmed mean is not: {} are "
          "slow, "
          "{} before",
          plain_percent(reason.number("change")), plain_percent(reason.number("upper")),
          share_text(reason, "current"), share_text(reason, "baseline"));
    case ReasonCode::left_out: return "not measured, and not proven identical: " + cause_or_none(row);
    case ReasonCode::undecided: return undecided_words(row) + at_places(row);
    case ReasonCode::corrected: return corrected(row) + at_places(row);
    case ReasonCode::too_few_processes: return too_few_processes(row);
    case ReasonCode::too_few_shared:
      return fmt::format("{} of the processes measured both sides: a verdict needs {}, {} more",
                         reason.count("shared"), reason.count("needed"),
                         reason.count("needed") - reason.count("shared"));
    case ReasonCode::untestable:
      return fmt::format("{} against {} processes: without two on each side nothing can be tested",
                         row.baseline.processes, row.current.processes);
    case ReasonCode::untestable_shared:
      return fmt::format("{} of the processes measured both sides: without two nothing can be tested",
                         reason.count("shared"));
    case ReasonCode::awaits_look:
      return fmt::format("{} of the {} processes of its first look", row.current.processes,
                         reason.count("look"));
    case ReasonCode::worse_than_any_margin:
      return "worse than the baseline by more than any margin: " + zeros_of_both(row);
    case ReasonCode::better_than_any_margin:
      return "better than the baseline by more than any margin: " + zeros_of_both(row);
    case ReasonCode::zeros_vary: return "there is no ratio to compare: " + zeros_of_both(row);
    case ReasonCode::throttled:
      return fmt::format(
          "the device lowered its clock ({}) in {:.0f} % of the baseline's placements and {:.0f} % of the "
          "current side's; a verdict allows {:.0f} %",
          reason.text("reasons"), reason.number("baseline") * 100, reason.number("current") * 100,
          reason.number("tolerated") * 100);
    case ReasonCode::contaminated:
      return fmt::format(
          "contaminated: other processes used the device during {} of the baseline's placements and {} of "
          "the "
          "current side's",
          share_or_unknown(reason, "baseline"), share_or_unknown(reason, "current"));
    case ReasonCode::waited: return waited_words(reason);
    case ReasonCode::forced_gates:
      return fmt::format("the launch gate of more than {:.0f} % of a side's samples opened on its deadline",
                         reason.number("tolerated") * 100);
    default: return {};
  }
}

std::string lacking(const ComparisonRow& row, const Reason& reason) {
  switch (reason.code) {
    case ReasonCode::new_case:
    case ReasonCode::unpaired_case: return "new: the baseline has no such case";
    case ReasonCode::removed_case: return "removed: only the baseline has this case";
    case ReasonCode::new_metric:
      return fmt::format("new: the baseline has no metric `{}` of this case", row.metric);
    case ReasonCode::removed_metric:
      return fmt::format("removed: only the baseline has the metric `{}` of this case", row.metric);
    case ReasonCode::skipped: return cause_or_none(row);
    case ReasonCode::skipped_now:
      return "the baseline measured it, the current side skipped it: " + cause_or_none(row);
    case ReasonCode::not_measured: return outcome_words(reason, row.cause);
    case ReasonCode::baseline_not_measured:
      return fmt::format("the baseline was not measured ({})", outcome_words(reason, row.cause));
    case ReasonCode::no_samples: return no_samples(row);
    case ReasonCode::wider_tolerance:
      return fmt::format(
          "its error of {:.3g} is beyond the baseline's tolerance of {:.3g}; the change's, {:.3g}, is a "
          "proposal",
          reason.number("error"), reason.number("baseline"), reason.number("current"));
    case ReasonCode::alone_differs:
      return fmt::format(
          "the change is {} where both builds share processes, and {} where each has its own; {} a side of "
          "the latter cannot decide",
          signed_percent(reason.number("together")), signed_percent(reason.number("alone")),
          reason.count("processes"));
    case ReasonCode::alone_unmeasured:
      return fmt::format("the {} was not measured in a process of its own, where the other cannot slow it",
                         reason.text("side"));
    case ReasonCode::unusable_sample:
      return fmt::format("{}: process {} holds a sample of {}{}, which has no ratio", reason.text("side"),
                         reason.count("process"), reason.number("value"), after_number(row.unit));
    default: return {};
  }
}

std::string incomparable(const ComparisonRow& row, const Reason& reason,
                         const std::vector<Difference>& differences) {
  const std::string differ = differences_text(differences);
  switch (reason.code) {
    case ReasonCode::other_pairing:
      return fmt::format("the {} record was measured in the same processes as another build (A/B run)",
                         reason.text("side"));
    case ReasonCode::machine_unnamed:
      return fmt::format("the {} record does not say on which machine it measured device `{}`",
                         reason.text("side"), reason.text("device"));
    case ReasonCode::machines_differ:
      return fmt::format("measured on machines that must not be compared ({})", differ);
    case ReasonCode::other_device:
      return fmt::format("measured on another device of the same model ({})", differ);
    case ReasonCode::sampling_differs: return fmt::format("sampled differently ({})", differ);
    case ReasonCode::case_differs: return fmt::format("the change makes it another case ({})", differ);
    case ReasonCode::device_kind_differs:
      return fmt::format("measured on different kinds of device ({})", differ);
    case ReasonCode::unit_differs: return fmt::format("the unit changed ({})", differ);
    case ReasonCode::parameters_differ: return fmt::format("its parameters differ ({})", differ);
    case ReasonCode::direction_differs:
      return fmt::format("it changed which direction is better ({})", differ);
    case ReasonCode::estimator_differs: return fmt::format("the estimator changed ({})", differ);
    case ReasonCode::estimator_unknown:
      return fmt::format("this version does not know the estimator `{}`", reason.text("estimator"));
    case ReasonCode::steps_differ: return fmt::format("the traced steps are not the same work ({})", differ);
    case ReasonCode::bad_margin: return fmt::format("the margin {} is not a share of 0 or more", row.margin);
    case ReasonCode::bad_alpha: return fmt::format("alpha {} does not lie between 0 and 0.5", row.alpha);
    case ReasonCode::too_many_looks:
      return fmt::format("{} looks are declared; at most {} are allowed", reason.count("looks"),
                         reason.count("most"));
    case ReasonCode::unordered_looks: return "the processes of the declared looks do not increase";
    case ReasonCode::tiny_look: return "a look needs at least 2 processes";
    default: return {};
  }
}

// The action for a reason, where it does not depend on figures of the test.
std::string remedy_of(const Reason& reason) {
  switch (reason.code) {
    case ReasonCode::proven_moved:
      return "Nothing in the code needs to be changed; look after the machine before times are compared.";
    case ReasonCode::unproven: return "Measure it: `harness run SUITE --measure all`.";
    case ReasonCode::not_confirmed:
      return "Measure the case again with more processes; a real slowdown of this size will show.";
    case ReasonCode::waited:
      return "Measure on a quiet machine, or both versions in turn with `harness ab`, where the user_time of "
             "a program can decide.";
    case ReasonCode::new_case: return "There is nothing to compare with yet; the next baseline will have it.";
    case ReasonCode::new_metric:
      return "There is nothing to compare with yet; the next baseline will have it.";
    case ReasonCode::unpaired_case: return "There is nothing to compare with yet; `harness run` measures it.";
    case ReasonCode::removed_case:
      return "If it was removed on purpose, promote a new baseline; otherwise restore it.";
    case ReasonCode::removed_metric: return "If the metric was removed on purpose, promote a new baseline.";
    case ReasonCode::skipped_now:
      return "Measure it where the baseline was measured; a skipped case does not pass.";
    case ReasonCode::baseline_not_measured: return "Measure the baseline again, or choose another one.";
    case ReasonCode::no_samples: return "See the notes of the run: sampling may have ended too early.";
    case ReasonCode::unusable_sample:
      return reason.text("side") == "baseline"
                 ? "Measure the baseline again. A sample must be finite and above 0; 0 is allowed for "
                   "metrics "
                   "that are no times."
                 : "A sample must be finite and above 0; 0 is allowed for metrics that are no times.";
    case ReasonCode::zeros_vary:
      return "Where 0 occurs in some processes only, neither equality nor a ratio can be judged. Report a "
             "value that is never 0 (a sum over more work), fix the seed, or make the metric `informative`.";
    case ReasonCode::awaits_look:
      return fmt::format("Continue to {} processes, its first look.", reason.count("look"));
    case ReasonCode::other_pairing:
      return "Compare it with the other side of its run, or `harness run` both builds.";
    case ReasonCode::case_differs:
      return "Restore it, or have it reviewed, and pass `--accept-proposed`. A new case needs a new name.";
    case ReasonCode::slow_open:
      return "Look for what slows single calls. More processes show whether their mean is really worse.";
    case ReasonCode::left_out: return "Measure it: leave out the filter or the `--set`, or raise the budget.";
    case ReasonCode::wider_tolerance:
      return "Compute it as exactly as before, or have it reviewed, and pass `--accept-proposed`.";
    case ReasonCode::alone_differs:
    case ReasonCode::alone_unmeasured:
      return "Measure with `--pair session`, where each process belongs to one build.";
    case ReasonCode::sampling_differs:
    case ReasonCode::device_kind_differs:
      return "Measure the baseline again with the settings of the current suite.";
    case ReasonCode::machine_unnamed: return "Name the machine on both sides, or on neither.";
    case ReasonCode::machines_differ: return "Measure the baseline again on the machine of the current side.";
    case ReasonCode::other_device:
      return fmt::format(
          "Measure both sides on one device. Or pass --allow-other-device, which adds the spread between "
          "devices ({:.2f} % a side) and hides smaller changes.",
          reason.number("device_sd") * 100);
    case ReasonCode::estimator_differs:
    case ReasonCode::estimator_unknown: return "Measure both sides with one version of the tool.";
    case ReasonCode::unit_differs:
    case ReasonCode::direction_differs: return "Give a metric with another meaning another name.";
    case ReasonCode::steps_differ:
      return "Mark the step with an NVTX range in the program, and name it in the suite: "
             "`steps: nvtx`. Then measure the baseline again.";
    case ReasonCode::bad_margin:
    case ReasonCode::bad_alpha:
    case ReasonCode::too_many_looks:
    case ReasonCode::unordered_looks:
    case ReasonCode::tiny_look: return "Correct the gate of the case.";
    default: return {};
  }
}

// A shift of n moves each function by n instructions and the branch over them. No line of source does the
// same: n `pmevent`s move a loop by n instructions, but do not give the times of such a shift
// (measured/alignment-h200.md). Nothing is told of copies that do not show what the build does.
std::string places_advice(const ComparisonRow& row) {
  const bool passes = row.reason.code == ReasonCode::within || row.reason.code == ReasonCode::not_worse;
  const bool open = row.verdict == Verdict::inconclusive && row.reason.code != ReasonCode::open_over_places;
  if (!row.over_places || passes || open || has_figure(row.reason, "at_same_place")) return {};
  const OverPlaces& places = *row.over_places;
  const int moved_by = (places.best_shift + 1) % places.places;
  const std::string steady = "A hot loop that is shorter, split or unrolled less depends less on its place.";
  if (moved_by == 0)
    return fmt::format(
        "None of the other {} places of its code is shown to be faster than where it lies. Other code before "
        "the hot loop may move it to a slower one. {}",
        places.places - 1, steady);
  return fmt::format(
      "At the best of the {} places of its code the current build is {} faster than where it lies: {}, {} "
      "further on. Any change of the code before the hot loop may move it there, or away. {}",
      places.places, short_percent(1 - places.best / row.current.center),
      format_quantity(places.best, row.unit),
      counted(static_cast<std::size_t>(moved_by), "instruction", "instructions"), steady);
}

// A traced program tells which kernel differs first.
std::string launches_text(const Fact<ProofGapCode>& why) {
  const std::string kernel = why.text("kernel");
  const auto change = parse_name<LaunchChange>(why.text("change"));
  if (!change) return "its machine code or its launches changed";
  const auto more = why.count("kernels") - 1;
  const std::string rest = more > 0 ? fmt::format(", and {} more kernels changed", more) : "";
  switch (*change) {
    case LaunchChange::added: return fmt::format("`{}` is new in a step{}", kernel, rest);
    case LaunchChange::removed: return fmt::format("`{}` is gone from its steps{}", kernel, rest);
    case LaunchChange::code: return fmt::format("the machine code of `{}` changed{}", kernel, rest);
    case LaunchChange::shape: return fmt::format("the grid or block of `{}` changed{}", kernel, rest);
    case LaunchChange::count: return fmt::format("`{}` is launched more or less often{}", kernel, rest);
    case LaunchChange::arguments: return fmt::format("the arguments of `{}` changed{}", kernel, rest);
    case LaunchChange::order: return "the order of its launches, its copies or the driver changed";
    case LaunchChange::setup:
      return fmt::format("`{}`, which it launches outside its steps, changed{}", kernel, rest);
    case LaunchChange::elsewhere: return "the step around it changed";
  }
  return "?";
}

}  // namespace

bool is_beyond_at_passing_level(const ComparisonRow& row) {
  if (!row.interval || row.in_unit) return false;
  const double least = row.direction == Direction::lower_is_better ? row.interval->lo : 1 / row.interval->hi;
  return least > 1 + row.margin;
}

std::string reason_words(const ComparisonRow& row) {
  return reason_words(row, {row.reason, row.differences});
}

std::string reason_words(const ComparisonRow& row, const Obstacle& obstacle) {
  if (std::string text = tested(row, obstacle.reason); !text.empty()) return text;
  if (std::string text = proof_words(row, obstacle.reason); !text.empty()) return text;
  if (std::string text = lacking(row, obstacle.reason); !text.empty()) return text;
  return incomparable(row, obstacle.reason, obstacle.differences);
}

std::string remedy_words(const ComparisonRow& row) {
  std::string remedy = remedy_of(row.reason);
  return remedy.empty() ? places_advice(row) : remedy;
}

std::vector<std::string> advice_words(const ComparisonRow& row) {
  std::vector<std::string> lines;
  for (const Diagnostic& diagnostic : row.diagnostics) lines.push_back(words(diagnostic));
  if (std::string remedy = remedy_of(row.reason); !remedy.empty()) lines.push_back(std::move(remedy));
  if (std::string places = places_advice(row); !places.empty()) lines.push_back(std::move(places));
  return lines;
}

std::string words(const ProofGap& gap) {
  const Fact<ProofGapCode>& why = gap.why;
  const std::string side = why.text("side") == "baseline" ? "the baseline" : "the current side";
  const bool by_files = why.count("files") > 0;
  switch (why.code) {
    case ProofGapCode::not_looked:
      return by_files ? fmt::format("no start of {} was observed", side)
                      : fmt::format("the launches of {} were not read", side);
    case ProofGapCode::unreadable:
      if (gap.cause &&
          (gap.cause->code == CauseCode::files_unknown || gap.cause->code == CauseCode::files_unseen))
        return fmt::format("{}: {}", side, words(*gap.cause));
      return fmt::format("the launches of {} could not all be read: {}", side,
                         gap.cause ? words(*gap.cause) : "without a reason given");
    case ProofGapCode::disagree:
      return by_files ? fmt::format("the starts of {} find different things in files", side)
                      : fmt::format("the processes of {} launch different things", side);
    case ProofGapCode::other_rules:
      return fmt::format("the launches of {} were hashed by the rules of an older harness", side);
    case ProofGapCode::other_launches: return launches_text(why);
    case ProofGapCode::inputs_unread:
      return gap.cause ? fmt::format("{}: {}", side, words(*gap.cause))
                       : fmt::format("the bytes that {} takes from the host were not read", side);
    case ProofGapCode::other_inputs:
      return fmt::format(
          "the inputs differ: {} that come from the host. Seed them, or trust them with `inputs: trusted` in "
          "the baseline's suite",
          format_si(static_cast<double>(why.count("bytes")), "B"));
    case ProofGapCode::other_files: return file_change_words(why);
    case ProofGapCode::files_unasked: return "the baseline's suite does not say `inputs: files`";
    case ProofGapCode::measured: return "it was measured, and that outweighs what files tell";
    case ProofGapCode::other_workload:
      return fmt::format("the workload changed: {} -> {}", why.text("baseline"), why.text("current"));
    case ProofGapCode::other_parameters:
      return fmt::format("the parameters changed ({})", differences_text(gap.differences));
    case ProofGapCode::other_seed:
      return fmt::format("the seed of the inputs changed: {} -> {}", why.count("baseline"),
                         why.count("current"));
    case ProofGapCode::other_machine:
      return fmt::format("the machines differ in what chooses the code ({})",
                         differences_text(gap.differences));
  }
  return "?";
}

std::string words(const Difference& difference) {
  const auto value = [](const std::optional<std::string>& side) {
    return !side ? "(not recorded)" : side->empty() ? "(empty)" : *side;
  };
  return fmt::format("{}: {} -> {}", difference.name, value(difference.baseline), value(difference.current));
}

std::string words(const MachineDifference& difference) {
  return (difference.device.empty() ? "" : difference.device + " ") + words(difference.field);
}

}  // namespace harness::report
