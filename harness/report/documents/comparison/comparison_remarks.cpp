#include "harness/report/documents/comparison/comparison_remarks.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <set>
#include <span>
#include <tuple>
#include <unordered_set>

#include "harness/base/parallel.h"
#include "harness/base/text.h"
#include "harness/model/known_metrics.h"
#include "harness/report/documents/comparison/comparison_headline.h"
#include "harness/report/documents/comparison/standing.h"
#include "harness/report/numbers.h"
#include "harness/report/words/change/change_cause_words.h"
#include "harness/report/words/reason_words.h"
#include "harness/report/words/source_words.h"

namespace harness::report {
namespace {

constexpr std::size_t explained_a_part = 256;  // rows, by a thread at a time
constexpr std::size_t explained_at_once = 64 * explained_a_part;

bool one_row_a_case(const Comparison& comparison) {
  if (has_one_metric(comparison)) return true;
  std::unordered_set<std::string_view> ids;
  ids.reserve(comparison.rows.size());
  return std::all_of(comparison.rows.begin(), comparison.rows.end(),
                     [&](const ComparisonRow& row) { return ids.insert(row.case_id).second; });
}

std::string describe_source(const RecordSource& source) {
  std::string text = words(source);
  if (source.revision.dirty) text += ", with uncommitted changes";
  if (!source.device.empty()) text += " · " + source.device;
  return text;
}

// ", looks at 5, 10 and 20 processes" where all rows that have numbers declared the same; "each case's own"
// where they did not.
std::string shared_looks(const Comparison& comparison) {
  std::set<std::vector<int>> declared;
  for (const ComparisonRow& row : comparison.rows)
    if (has_numbers(row)) declared.insert(row.look.declared);
  if (declared.empty() || (declared.size() == 1 && declared.begin()->size() < 2)) return {};
  if (declared.size() > 1) return "; each case's own looks, alpha shared over them";
  return fmt::format("; looks at {} processes, alpha shared over them", fmt::join(*declared.begin(), ", "));
}

// ", 5 processes a side", ", 5 against 8 processes", or nothing where rows differ.
std::string shared_processes(const Comparison& comparison) {
  std::set<std::pair<int, int>> counts;
  for (const ComparisonRow& row : comparison.rows)
    if (has_numbers(row)) counts.emplace(row.baseline.processes, row.current.processes);
  if (counts.size() != 1) return {};
  const auto [baseline, current] = *counts.begin();
  if (baseline != current) return fmt::format(", {} against {} processes", baseline, current);
  return fmt::format(", {} a side", counted(static_cast<std::size_t>(baseline), "process", "processes"));
}

// A rate that is the same in every judged row: "1 %"; else "each case's own".
std::string shared_rate(const Comparison& comparison, const std::optional<double>& set,
                        double ComparisonRow::*member) {
  if (set) return plain_percent(*set);
  std::set<double> values;
  for (const ComparisonRow& row : comparison.rows)
    if (row.*member > 0) values.insert(row.*member);
  return values.size() == 1 ? plain_percent(*values.begin()) : "each case's own";
}

std::string rule_fact(const Comparison& comparison) {
  const auto judged = static_cast<std::size_t>(
      std::count_if(comparison.rows.begin(), comparison.rows.end(),
                    [](const ComparisonRow& row) { return row.p_adjusted.has_value(); }));
  const bool in_one_process = comparison.pairing == Pairing::Kind::process;
  std::string text = fmt::format(
      "{} a process{}{}; margin {}, alpha {} one-sided, passing at 5 %",
      in_one_process ? "paired in one process: Student's t-test on one log ratio"
                     : "moderated t-test on one value",
      shared_processes(comparison),
      comparison.pairing == Pairing::Kind::session ? " (of 20 pairs or more, on one log ratio a pair)" : "",
      shared_rate(comparison, comparison.policy.margin, &ComparisonRow::margin),
      shared_rate(comparison, comparison.policy.alpha, &ComparisonRow::alpha));
  text += shared_looks(comparison);
  if (judged > 1) text += fmt::format(", Holm over {} results", judged);
  if (comparison.policy.allow_other_device) text += "; another GPU of the same model was allowed";
  return text;
}

std::string where_text(const ComparisonRow& row) {
  return row.where.file.empty() ? std::string() : to_string(Location{row.where.file, row.where.line, 0});
}

// Whether any row depends on the rule and the policy. A row with a proof does not.
bool any_test(const Comparison& comparison) {
  if (comparison.rows.empty()) return true;
  return std::any_of(comparison.rows.begin(), comparison.rows.end(), [](const ComparisonRow& row) {
    return row.verdict != Verdict::skipped && (row.verdict != Verdict::identical || has_numbers(row));
  });
}

// Why a row has no proof, where that is not simply because its code changed.
std::string lacking_proof(const ComparisonRow& row) {
  if (!row.unproven || row.reason.code == ReasonCode::unproven) return {};
  const ProofGapCode why = row.unproven->why.code;
  if (why == ProofGapCode::other_launches || why == ProofGapCode::not_looked) return {};
  return "no proof that it is identical: " + words(*row.unproven);
}

// Identical rows are told once for all.
bool is_explained(const ComparisonRow& row, const Comparison& comparison) {
  if (row.verdict == Verdict::identical) return false;
  if (row.verdict == Verdict::missing && is_first(comparison)) return false;
  const bool passes = row.verdict == Verdict::unchanged || row.verdict == Verdict::not_worse;
  return !passes || !row.diagnostics.empty() || !row.kernels.empty();
}

constexpr const char* launches_words =
    "same machine code, same launches. The proof covers the device's time, cycles, counters, tensor memory "
    "and error, but not the time of the host, the first call and the overhead of launches.";

constexpr const char* files_words =
    "same command, files and environment, as one start read them. The proof covers all metrics.";

// Launches that differ between the runs of one build are told apart from those that nobody could read.
std::string build_proof_words(const ComparisonRow& row) {
  const auto differs = [&](const ProofGap& gap) {
    return gap.why.code == ProofGapCode::disagree ||
           (gap.cause && gap.cause->code == CauseCode::processes_differ);
  };
  const char* const same =
      "same build in the same environment, as HARNESS_ENVIRONMENT names it. The proof covers all metrics.";
  if (!row.unproven) return same;
  return fmt::format(
      "{} {}", same,
      differs(*row.unproven)
          ? "Processes of this build launch different things, so times may differ from process to process."
          : "Not all launches could be read, so nothing was compared beside the build.");
}

// Whether a row of the table, with its heading, interval and margin, says why.
bool is_told_by_numbers(const ComparisonRow& row) {
  if (row.informative) return true;
  const bool plain = std::all_of(row.diagnostics.begin(), row.diagnostics.end(), [](const Diagnostic& one) {
    return one.code == DiagnosticCode::more_processes;
  });
  return row.reason.code == ReasonCode::within || row.reason.code == ReasonCode::not_worse ||
         (row.reason.code == ReasonCode::undecided && plain && !is_beyond_at_passing_level(row));
}

// Whether it tells what the change asks for, or a waiver that does not cover the row: a reviewer looks at it.
bool is_for_review(const Diagnostic& told) {
  switch (told.code) {
    case DiagnosticCode::informative_now:
    case DiagnosticCode::margin_loosened:
    case DiagnosticCode::alpha_loosened:
    case DiagnosticCode::gate_proposed:
    case DiagnosticCode::sampling_proposed:
    case DiagnosticCode::tolerance_proposed:
    case DiagnosticCode::own_tolerance:
    case DiagnosticCode::waiver_expired:
    case DiagnosticCode::waiver_no_ratio:
    case DiagnosticCode::waiver_exceeded: return true;
    default: return false;
  }
}

// Whether a row's reasons are told in one line: it neither fails nor changes, and asks for no review.
bool is_folded(const ComparisonRow& row) {
  if (std::any_of(row.diagnostics.begin(), row.diagnostics.end(), is_for_review)) return false;
  switch (row.verdict) {
    case Verdict::inconclusive:
    case Verdict::not_worse:
    case Verdict::unchanged:
    case Verdict::skipped: return true;
    default: return row.informative;
  }
}

// Without the row's name.
Finding explanation_of(const ComparisonRow& row) {
  Finding why;
  why.label = words_for(row.verdict);
  why.standing = standing_words(row);
  why.paint = why.standing.empty() ? paint_for(row.verdict) : Paint::doubtful;
  why.text = reason_words(row);
  why.details = cause_words(row);
  for (std::string& kernel : kernel_words(row)) why.details.push_back(std::move(kernel));
  if (const std::string lacking = lacking_proof(row); !lacking.empty()) why.details.push_back(lacking);
  why.advice = advice_words(row);
  why.where = where_text(row);
  why.in_table = is_shown(row) && is_told_by_numbers(row);
  why.decides = row.verdict == Verdict::inconclusive && decides(row);
  return why;
}

}  // namespace

std::string look_words(const ComparisonRow& row) {
  if (row.look.declared.size() < 2 || row.look.number == 0) return {};
  return fmt::format(" (look {})", row.look.number);
}

std::string level_text(double alpha) {
  return fmt::format("{:.5g} %", (1 - 2 * alpha) * 100);
}

bool has_numbers(const ComparisonRow& row) {
  return std::isfinite(row.ratio) && row.ratio > 0;
}

bool has_values_alone(const ComparisonRow& row) {
  return !has_numbers(row) && row.baseline.processes > 0 && row.current.processes > 0 &&
         std::isfinite(row.baseline.center) && std::isfinite(row.current.center) &&
         (row.baseline.center == 0 || row.current.center == 0) &&
         (row.verdict == Verdict::regressed || row.verdict == Verdict::improved);
}

std::string values_text(const ComparisonRow& row) {
  return fmt::format("{} -> {}{}", format_significant(row.baseline.center),
                     format_significant(row.current.center), after_number(row.unit));
}

NamedTexts comparison_facts(const Comparison& comparison) {
  NamedTexts facts;
  std::string suite = comparison.suite;
  if (!comparison.suite_file.empty()) suite += " (" + comparison.suite_file + ")";
  facts.emplace_back("suite", suite);
  if (const std::string tally = comparison_tally(comparison); !tally.empty())
    facts.emplace_back("results", tally);
  facts.emplace_back("baseline", describe_source(comparison.baseline));
  facts.emplace_back("current", describe_source(comparison.current));
  if (!any_test(comparison)) return facts;
  facts.emplace_back("rule", rule_fact(comparison));
  if (const std::string policy = policy_words(comparison); !policy.empty())
    facts.emplace_back("policy", policy);
  return facts;
}

RowNames::RowNames(const Comparison& comparison) : plain_(one_row_a_case(comparison)) {}

std::string RowNames::operator()(const ComparisonRow& row) const {
  return plain_ || row.metric.empty() ? row.case_id : row.case_id + " " + row.metric;
}

Reasons identical_results(const Comparison& comparison, const RowNames& name_of) {
  Reasons reasons{words_for(Verdict::identical)};
  std::map<std::string, ReasonGroup> groups;
  for (const ComparisonRow& row : comparison.rows) {
    if (row.verdict != Verdict::identical) continue;
    ++reasons.cases;
    ReasonGroup& group = groups[row.by_build   ? build_proof_words(row)
                                : row.by_files ? files_words
                                               : launches_words];
    group.ids.push_back(name_of(row));
  }
  for (auto& [how, group] : groups) {
    group.reason = how;
    reasons.groups.push_back(std::move(group));
  }
  return reasons;
}

bool is_shown(const ComparisonRow& row) {
  if (row.verdict == Verdict::identical || (row.informative && row.exact && row.ratio == 1)) return false;
  const bool changed = row.verdict == Verdict::regressed || row.verdict == Verdict::improved;
  if (row.informative && informs_by_default(row.metric) && !changed) return false;
  return has_numbers(row) || has_values_alone(row);
}

Explanations comparison_explanations(const Comparison& comparison, const RowNames& name_of) {
  std::vector<const ComparisonRow*> rows;
  for (const ComparisonRow& row : comparison.rows)
    if (is_explained(row, comparison)) rows.push_back(&row);
  std::vector<Finding> result;
  std::vector<bool> folded;  // of each of them
  using Words = std::vector<std::string>;
  std::map<std::tuple<Verdict, std::string, std::string, Words, Words, bool, bool>, std::size_t> known;
  for (std::span<const ComparisonRow* const> left = rows; !left.empty();) {
    const std::span<const ComparisonRow* const> now = left.first(std::min(left.size(), explained_at_once));
    std::vector<Finding> found(now.size());
    for_each_index((now.size() + explained_a_part - 1) / explained_a_part, 0, [&](std::size_t part) {
      const std::size_t end = std::min((part + 1) * explained_a_part, now.size());
      for (std::size_t i = part * explained_a_part; i < end; ++i) found[i] = explanation_of(*now[i]);
    });
    for (std::size_t i = 0; i < now.size(); ++i) {
      Finding& why = found[i];
      const auto [at, is_new] = known.try_emplace(
          {now[i]->verdict, why.standing, why.text, why.advice, why.details, why.in_table, why.decides},
          result.size());
      if (is_new) {
        result.push_back(std::move(why));
        folded.push_back(is_folded(*now[i]));
      }
      result[at->second].cases.push_back(name_of(*now[i]));
    }
    left = left.subspan(now.size());
  }
  Explanations all;
  for (std::size_t i = 0; i < result.size(); ++i) {
    if (result[i].cases.size() > 1) result[i].where.clear();
    (folded[i] ? all.others : all.deciding).push_back(std::move(result[i]));
  }
  return all;
}

std::vector<std::string> take_common_advice(std::vector<Finding>& findings) {
  std::vector<std::string> order;
  std::map<std::string, std::pair<std::size_t, std::size_t>> uses;  // findings and results
  for (const Finding& finding : findings)
    for (const std::string& advice : finding.advice) {
      auto& [found, results] = uses[advice];
      if (++found == 1) order.push_back(advice);
      results += finding.cases.size();
    }
  std::vector<std::string> common;
  for (const std::string& advice : order)
    if (uses[advice].first > 1) common.push_back(fmt::format("{} results: {}", uses[advice].second, advice));
  for (Finding& finding : findings)
    std::erase_if(finding.advice, [&](const std::string& advice) { return uses[advice].first > 1; });
  return common;
}

}  // namespace harness::report
