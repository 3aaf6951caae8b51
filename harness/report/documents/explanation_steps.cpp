#include "harness/report/documents/explanation_steps.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "harness/base/text.h"
#include "harness/report/documents/comparison/comparison_headline.h"
#include "harness/report/documents/comparison/comparison_remarks.h"
#include "harness/report/numbers.h"
#include "harness/report/row_change.h"
#include "harness/report/words/change/change_cause_words.h"
#include "harness/report/words/check_words.h"
#include "harness/report/words/kernel_words.h"
#include "harness/report/words/policy_words.h"
#include "harness/report/words/reason_words.h"
#include "harness/report/words/source_words.h"

namespace harness::report {
namespace {

constexpr std::size_t most_placements = 8;  // values of placements shown for a process

std::string value_text(double value) {
  return std::isfinite(value) ? fmt::format("{:.6g}", value) : std::string(unknown);
}

// A log of a ratio and the change that it stands for.
std::string log_text(double value) {
  return fmt::format("{:+.6f} ({:+.3f} %)", value, std::expm1(value) * 100);
}

std::string freedom_text(double degrees) {
  return std::isfinite(degrees) ? fmt::format("{:.4g}", degrees) : "infinitely many";
}

std::string p_text(const std::optional<double>& p) {
  return p ? fmt::format("{:.4g}", *p) : std::string(unknown);
}

Step comparable_step(const RowExplanation& one) {
  Step step{"May they be compared?", {}};
  for (const ComparabilityCheck& check : one.checks) step.lines.push_back(check_words(check, one.row));
  return step;
}

std::string placements_text(const ProcessEvidence& process) {
  if (process.pinned) return std::string(pin_without_samples);
  std::vector<std::string> values;
  for (std::size_t i = 0; i < std::min(process.placements.size(), most_placements); ++i)
    values.push_back(value_text(process.placements[i].value));
  if (process.placements.size() > most_placements)
    values.push_back(fmt::format("and {} more", process.placements.size() - most_placements));
  return join(values, " ");
}

Section side_section(const char* heading, const std::vector<ProcessEvidence>& processes) {
  Section section{heading, Paint::strong, {}};
  for (const ProcessEvidence& process : processes) {
    const PlacementEvidence pinned = process.pinned.value_or(PlacementEvidence{});
    std::size_t samples = pinned.samples, mild = pinned.mild, far = pinned.far;
    for (const PlacementEvidence& placement : process.placements) {
      samples += placement.samples;
      mild += placement.mild;
      far += placement.far;
    }
    section.rows.push_back({fmt::format("process {}", process.process),
                            {{grouped_digits(samples)},
                             {fmt::to_string(mild)},
                             {fmt::to_string(far)},
                             {value_text(process.value)},
                             {placements_text(process)}}});
  }
  return section;
}

Step values_step(const RowExplanation& one) {
  Step step{"From samples to one value a process", {}};
  const std::string unit = one.row.unit.empty() ? "value" : one.row.unit;
  step.table.label_header = "side";
  step.table.columns = {{"samples", Align::right},
                        {"mild", Align::right, 0, 2},
                        {"far, left out", Align::right, 0, 1},
                        {unit},
                        {"placements, trimmed means", Align::left, 0, 3}};
  for (const auto& [name, processes] :
       {std::pair("baseline", &one.baseline), std::pair("current", &one.current)})
    if (!processes->empty()) step.table.sections.push_back(side_section(name, *processes));
  step.after.emplace_back(
      "Samples beyond 3 IQR of their placement's quartiles are left out, those beyond 1.5 IQR only counted; "
      "a "
      "placement's value is the 10 % trimmed mean of log samples, a process's the mean over its placements. "
      "Only the processes' values are tested.");
  return step;
}

std::string spread_text(const char* name, const Side& side) {
  return fmt::format("{}: mean {} over {} processes, which vary by {:.4f} % (sd of logs)", name,
                     value_text(side.center), side.processes, side.process_sd * 100);
}

// How the spread between processes was judged.
void add_moderation(Step& step, const TestEvidence& test) {
  const char* usual_test = test.differences ? "paired t-test" : "Welch";
  if (!test.moderation) {
    step.lines.push_back(
        fmt::format("too few other cases to learn the usual spread: its own alone counts ({})", usual_test));
    return;
  }
  const Moderation& by = *test.moderation;
  step.lines.push_back(fmt::format(
      "spread of a process: its own {:.4f} % with {} degrees of freedom; usual for cases of this length "
      "{:.4f} %, "
      "which counts for {}",
      by.own_sd * 100, freedom_text(by.own_freedom), by.usual_sd * 100, freedom_text(by.usual_freedom)));
  step.lines.push_back(
      by.noisier
          ? fmt::format("its own is improbable among similar cases, so it alone counts ({})", usual_test)
          : fmt::format("both together, weighted by these (moderated variance): {:.4f} %", by.sd * 100));
}

// In the metric's own unit.
Step unit_effect_step(const RowExplanation& one) {
  const ComparisonRow& row = one.row;
  const TestEvidence& test = *one.test;
  Step step{"The effect, and how well it is known", {}};
  step.lines.push_back(fmt::format("effect: {:+.6g} {}, positive is worse", test.effect, row.in_unit->unit));
  step.lines.push_back(
      test.differences
          ? fmt::format(
                "the mean of the differences of {} processes of the same number, hence seed; they vary "
                "by {:.4g}",
                *test.differences, test.difference_sd)
          : std::string("the difference of both sides' means: they have no processes in common"));
  step.lines.push_back(fmt::format("standard error: {:.6g} with {} degrees of freedom", test.standard_error,
                                   freedom_text(test.degrees_of_freedom)));
  step.lines.push_back(
      fmt::format("interval at {}: {:+.6g} to {:+.6g}", level_text(alpha_to_pass(row)), test.lo, test.hi));
  return step;
}

Step effect_step(const RowExplanation& one) {
  if (one.row.in_unit) return unit_effect_step(one);
  Step step{"The effect, and how well it is known", {}};
  const ComparisonRow& row = one.row;
  const TestEvidence& test = *one.test;
  step.lines.push_back(spread_text("baseline", row.baseline));
  step.lines.push_back(spread_text("current", row.current));
  step.lines.push_back(fmt::format("effect: {} on the log scale, positive is worse; ratio {:.6g}",
                                   log_text(test.effect), row.ratio));
  if (test.differences && test.in_turn)
    step.lines.push_back(fmt::format(
        "the log ratios of {} pairs of processes, one after the other, vary by {:.4f} %; what changes on the "
        "machine moves both of a pair",
        *test.differences, test.difference_sd * 100));
  else if (test.differences)
    step.lines.push_back(fmt::format(
        "the log ratios of {} processes, each measured with both builds in it, of 10 % trimmed means without "
        "fences, vary by {:.4f} %; what moves a process moves both sides",
        *test.differences, test.difference_sd * 100));
  add_moderation(step, test);
  step.lines.push_back(fmt::format(
      "standard error: {:.6f} with {} degrees of freedom{}", test.standard_error,
      freedom_text(test.degrees_of_freedom),
      test.known_variance > 0
          ? fmt::format("; sqrt({:.4g}) of it is between sessions (and devices, where allowed), which more "
                        "processes do not reduce",
                        test.known_variance)
          : ""));
  step.lines.push_back(fmt::format("interval at {}: {} to {}", level_text(alpha_to_pass(row)),
                                   log_text(test.lo), log_text(test.hi)));
  return step;
}

std::string holm_text(const TestEvidence& test, std::size_t rank, const std::optional<double>& adjusted) {
  if (rank == 0) return "not corrected with others";
  return fmt::format("place {} of {} by p, so Holm multiplies by at least {}: adjusted p {}", rank,
                     test.family, test.family - rank + 1, p_text(adjusted));
}

std::string bound_text(const ComparisonRow& row, double bound) {
  return row.in_unit ? fmt::format("{:+.4g}", bound) : fmt::format("{:+.3f} %", std::expm1(bound) * 100);
}

// Every look that was reached, and what their number does to p.
void add_looks(Step& step, const ComparisonRow& row, const TestEvidence& test) {
  const std::size_t looks = row.look.declared.size();
  for (const LookTaken& one : test.looks)
    step.lines.push_back(
        fmt::format("look {} of {}, at {} processes{}: p worse {:.4g}, better {:.4g}, passes {:.4g}; {} "
                    "interval {} to {}",
                    one.number, looks, one.processes, one.number == row.look.number ? " (shown here)" : "",
                    one.p_worse, one.p_better, one.p_passes, level_text(alpha_to_pass(row)),
                    bound_text(row, one.lo), bound_text(row, one.hi)));
  step.lines.push_back(fmt::format(
      "{} looks were declared, so the smallest p counts {} times (Bonferroni): worse {:.4g}, better {:.4g}",
      looks, looks, test.p_worse, test.p_better));
}

Step test_step(const RowExplanation& one) {
  const ComparisonRow& row = one.row;
  const TestEvidence& test = *one.test;
  Step step{"The tests against the margin", {}};
  step.lines.push_back(
      row.in_unit ? fmt::format("margin {}; alpha {} one-sided", margin_words(row), plain_percent(row.alpha))
                  : fmt::format("margin {} is {:.6f} on the log scale; alpha {} one-sided",
                                plain_percent(row.margin), test.margin, plain_percent(row.alpha)));
  step.lines.push_back(fmt::format("worse by more than the margin? t = {:.4g}, p = {}; {}", test.t_worse,
                                   p_text(row.p), holm_text(test, test.rank_worse, row.p_adjusted)));
  step.lines.push_back(fmt::format("better by more than the margin? t = {:.4g}, p = {}; {}", test.t_better,
                                   p_text(row.p_improved),
                                   holm_text(test, test.rank_better, row.p_improved_adjusted)));
  if (row.look.declared.size() > 1) add_looks(step, row, test);
  step.lines.push_back(fmt::format("passes? p = {} for \"worse by the margin or more\", {} {}",
                                   p_text(row.p_passes),
                                   row.p_passes.value_or(1) < alpha_to_pass(row) ? "below" : "not below",
                                   plain_percent(alpha_to_pass(row))));
  if (test.p_slow < 1)
    step.lines.push_back(fmt::format("slow calls? p = {:.4g} before Holm's correction", test.p_slow));
  if (test.doubt) step.lines.push_back("no verdict is allowed: " + reason_words(row, {*test.doubt}));
  return step;
}

// How the fresh processes answered, and all together.
Step confirmation_step(const ComparisonRow& row) {
  const Confirmation& told = *row.confirmation;
  Step step{"Measured again", {}};
  const auto add = [&](const char* who, const Estimate& one) {
    step.lines.push_back(fmt::format("{}: {} processes, {}{}, p = {}", who, one.processes,
                                     signed_percent(one.ratio - 1),
                                     one.interval ? " " + percent_bounds(*one.interval) : "", p_text(one.p)));
  };
  add("at first", told.first);
  add("by fresh processes alone", told.fresh);
  add("by all together", told.pooled);
  step.lines.push_back(fmt::format(
      "the p of the fresh ones has to be below {:.4g} to confirm: {}", told.alpha,
      told.confirmed ? "it is, so the numbers above are of the first" : "the numbers above are of all"));
  return step;
}

std::string rule_text(const RowExplanation& one) {
  if (one.row.exact && one.row.in_unit)
    return "the change is the same in every process, so it was compared as a number, without a test";
  if (one.row.exact)
    return "neither side varies at all, so the values were compared as numbers, without a test";
  switch (one.row.verdict) {
    case Verdict::regressed:
      if (one.row.reason.code == ReasonCode::worse_over_places)
        return "the mean over all places of the code is worse than the margin, wherever it lies now";
      return one.row.reason.code == ReasonCode::worse
                 ? "the adjusted p of `worse` is below alpha"
                 : "the adjusted p of the gate on slow calls is below alpha";
    case Verdict::improved: return "the adjusted p of `better` is below alpha";
    case Verdict::identical:
      return one.row.by_build   ? "both sides are of one build in one environment"
             : one.row.by_files ? "both sides read the same in files"
                                : "both sides launch the same machine code with the same arguments";
    case Verdict::environment: return "the code is identical, so the machine made the difference";
    case Verdict::moved:
      return "the upper bound of the mean over all places of the code lies below the margin";
    case Verdict::not_worse: return "the upper bound lies below the margin (non-inferiority)";
    case Verdict::unchanged: return "the upper bound lies below the margin, and the lower above it";
    case Verdict::inconclusive: return "none of the three could be shown; this does not pass";
    case Verdict::not_comparable: return "a check above stopped it before any test";
    case Verdict::missing: return "a side has nothing to compare";
    case Verdict::failed: return "a result that is wrong or missing has no speed";
    case Verdict::skipped: break;
  }
  return "the current side did not measure it";
}

Step verdict_step(const RowExplanation& one) {
  const ComparisonRow& row = one.row;
  Step step{"The verdict", {}};
  step.lines.push_back(fmt::format("{}: {}", words_for(row.verdict), reason_words(row)));
  step.lines.push_back("rule: " + rule_text(one));
  if (row.minimum_detectable)
    step.lines.push_back(fmt::format("a slowdown of {} would have been called with 80 % power",
                                     short_percent(*row.minimum_detectable)));
  if (row.processes_needed)
    step.lines.push_back(fmt::format("about {} processes a side would decide it", *row.processes_needed));
  return step;
}

Step remarks_step(const RowExplanation& one) {
  Step step{"What else was noticed", advice_words(one.row)};
  for (const KernelChange& change : one.row.kernels)
    step.lines.push_back(fmt::format("kernel `{}`: {}", change.name(), words(change)));
  return step;
}

// Why the time changed. The rules hold for a slowdown, and backwards for a speedup.
Step causes_step(const RowExplanation& one) {
  Step step{"Why it changed", cause_words(one.row)};
  if (one.row.causes == nullptr || one.row.causes->code.empty()) return step;
  step.after.emplace_back(
      "Kernels whose code differs are listed below. No disassembler was asked: operations are told, and the "
      "numbers in them, and not registers.");
  return step;
}

Step build_step(const RowExplanation& one, const Comparison& comparison) {
  const ComparisonRow& row = one.row;
  Step step{"What it does to the build", {}};
  if (row.informative) step.lines.emplace_back("its metric is informative: it decides nothing");
  if (row.waiver)
    step.lines.push_back(fmt::format("waived until {} up to {}: {}{}", row.waiver->expires,
                                     plain_percent(row.waiver->ceiling), row.waiver->reason,
                                     row.waiver->issue.empty() ? "" : " (" + row.waiver->issue + ")"));
  const int whole = exit_code(comparison);
  step.lines.push_back(
      fmt::format("alone it would be exit code {}; the whole comparison is {}", one.alone, whole));
  return step;
}

ExplainedRow explain_row(const RowExplanation& one, const Comparison& comparison) {
  const ComparisonRow& row = one.row;
  ExplainedRow explained;
  explained.verdict = row.verdict;
  explained.headline = fmt::format("{}: {}{}", words_for(row.verdict), row.case_id,
                                   row.metric.empty() ? "" : ", " + row.metric);
  explained.steps.push_back(comparable_step(one));
  if (!one.baseline.empty() || !one.current.empty()) explained.steps.push_back(values_step(one));
  if (one.test) {
    explained.steps.push_back(effect_step(one));
    explained.steps.push_back(test_step(one));
  }
  if (row.confirmation) explained.steps.push_back(confirmation_step(row));
  explained.steps.push_back(verdict_step(one));
  if (Step causes = causes_step(one); !causes.lines.empty()) {
    explained.steps.push_back(std::move(causes));
    for (Table& table : code_tables(*row.causes))
      explained.steps.push_back({std::move(table.title), {}, std::move(table.grid)});
  }
  if (Step remarks = remarks_step(one); !remarks.lines.empty()) explained.steps.push_back(std::move(remarks));
  explained.steps.push_back(build_step(one, comparison));
  return explained;
}

std::string source_text(const RecordSource& source) {
  std::string text = words(source);
  if (source.revision.dirty) text += ", with uncommitted changes";
  if (!source.device.empty()) text += " · " + source.device;
  if (!source.id.empty()) text += " · record " + source.id;
  return text;
}

}  // namespace

NamedTexts explanation_facts(const Retelling& explanation) {
  const Comparison& comparison = explanation.comparison;
  NamedTexts facts;
  facts.emplace_back("suite", comparison.suite);
  facts.emplace_back("baseline", source_text(comparison.baseline));
  facts.emplace_back("current", source_text(comparison.current));
  for (const PolicyFact& fact : comparison.policy_facts) {
    const PolicyWords told = words(fact, comparison);
    facts.emplace_back(told.name, fmt::format("{} ({})", told.value, told.source));
  }
  for (const MachineDifference& one : comparison.differences) facts.emplace_back("differs", words(one));
  return facts;
}

std::vector<ExplainedRow> explained_rows(const Retelling& explanation) {
  std::vector<ExplainedRow> rows;
  rows.reserve(explanation.rows.size());
  for (const RowExplanation& one : explanation.rows) rows.push_back(explain_row(one, explanation.comparison));
  return rows;
}

}  // namespace harness::report
