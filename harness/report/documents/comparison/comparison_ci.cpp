#include "harness/report/documents/comparison/comparison_ci.h"

#include <fmt/format.h>

#include <algorithm>

#include "harness/base/text.h"
#include "harness/base/units.h"
#include "harness/report/documents/comparison/comparison_headline.h"
#include "harness/report/documents/comparison/comparison_remarks.h"
#include "harness/report/documents/comparison/standing.h"
#include "harness/report/numbers.h"
#include "harness/report/row_change.h"
#include "harness/report/words/reason_words.h"

namespace harness::report {
namespace {

CiState state_of(const ComparisonRow& row, const Policy& policy) {
  // The whole comparison fails where something is undecided, and no single result of it.
  const bool undecided = row.verdict == Verdict::inconclusive && decides(row);
  if (row.verdict == Verdict::skipped || undecided) return CiState::skipped;
  switch (effect_of(row, policy)) {
    case Effect::passes: return CiState::passed;
    case Effect::allowed: return CiState::skipped;
    case Effect::fails: break;
  }
  return row.verdict == Verdict::failed ? CiState::error : CiState::failure;
}

Alarm alarm_of(const ComparisonRow& row, const Policy& policy) {
  if (hides_regression(row)) return Alarm::warning;
  if (row.informative)
    return row.verdict == Verdict::regressed || row.verdict == Verdict::failed ? Alarm::notice : Alarm::none;
  if (!decides(row)) return Alarm::warning;  // waived
  switch (row.verdict) {
    case Verdict::failed:
    case Verdict::regressed: return Alarm::error;
    case Verdict::missing:
    case Verdict::not_comparable:
    case Verdict::inconclusive: return Alarm::warning;
    case Verdict::improved: return policy.fail_on_improved ? Alarm::error : Alarm::notice;
    case Verdict::environment:
    case Verdict::moved: return Alarm::notice;
    case Verdict::identical:
    case Verdict::not_worse:
    case Verdict::unchanged:
    case Verdict::skipped: break;
  }
  return Alarm::none;
}

std::string figures_of(const ComparisonRow& row) {
  std::string text = fmt::format("{}: {}", row.metric, values_text(row));
  if (has_change(row)) text += ", " + change_words(row);
  if (row.in_unit ? row.in_unit->interval.has_value() : row.interval.has_value())
    text += fmt::format(" {} at {}", interval_words(row), level_text(alpha_to_pass(row)));
  const bool improved = row.verdict == Verdict::improved;
  text += fmt::format("; margin {}, p {}, adjusted p {}; {} against {} processes{}", margin_words(row),
                      probability(improved ? row.p_improved : row.p),
                      probability(improved ? row.p_improved_adjusted : row.p_adjusted),
                      row.baseline.processes, row.current.processes, look_words(row));
  return text;
}

CiCase case_of(const ComparisonRow& row, const std::string& name, const Comparison& comparison) {
  const Policy& policy = comparison.policy;
  CiCase one{name, row.where, state_of(row, policy), std::string(name_of(row.verdict))};
  const double factor = seconds_per_unit(row.unit);
  if (factor > 0 && row.current.center > 0) one.seconds = row.current.center * factor;
  const std::string standing = standing_words(row);
  const std::string verdict = words_for(row.verdict);
  std::vector<std::string> lines, explanation;
  if (!standing.empty()) lines.push_back(standing);
  explanation = lines;
  const std::string reason = reason_words(row);
  lines.push_back(fmt::format("{}: {}", verdict, reason.empty() ? "no reason was recorded" : reason));
  one.message = join(lines, "; ");
  if (standing.empty() && effect_of(row, policy) == Effect::allowed && !is_first(comparison))
    one.message += " (let through by --allow)";
  if (has_numbers(row) || has_values_alone(row)) lines.push_back(figures_of(row));
  if (!reason.empty()) explanation.push_back(reason);
  const std::vector<std::string> advice = advice_words(row);
  for (std::vector<std::string>* list : {&lines, &explanation}) {
    for (const std::string& kernel : kernel_words(row)) list->push_back(kernel);
    list->insert(list->end(), advice.begin(), advice.end());
  }
  one.body = one.output = join(lines, "\n");
  one.alarm = is_first(comparison) && row.verdict == Verdict::missing ? Alarm::none : alarm_of(row, policy);
  one.label = has_numbers(row) ? verdict + " " + signed_percent(row.ratio - 1) : verdict;
  one.explanation = join(explanation, "\n");
  return one;
}

// When no row says why the exit code is not 0, nothing was compared at all.
void add_whole(CiView& view, const Comparison& comparison) {
  if (exit_code(comparison) == 0) return;
  const auto any = [&](auto predicate) {
    return std::any_of(view.cases.begin(), view.cases.end(), predicate);
  };
  const bool red =
      any([](const CiCase& one) { return one.state == CiState::failure || one.state == CiState::error; });
  const bool loud =
      any([](const CiCase& one) { return one.alarm == Alarm::error || one.alarm == Alarm::warning; });
  if (!loud)
    view.alerts.insert(view.alerts.begin(),
                       {Alarm::error, comparison_headline(comparison), exit_code_meaning(comparison)});
  if (red) return;
  CiCase whole{"(the whole comparison)", {comparison.suite_file}, CiState::failure};
  whole.code = std::string(name_of(comparison.verdict));
  whole.message = comparison_headline(comparison);
  whole.body = exit_code_meaning(comparison);
  view.cases.push_back(std::move(whole));
}

}  // namespace

CiView comparison_ci(const Comparison& comparison) {
  CiView view{comparison.suite, comparison.suite_file};
  view.properties = {{"commit", comparison.current.revision.commit},
                     {"baseline_commit", comparison.baseline.revision.commit},
                     {"device", comparison.current.device},
                     {"verdict", std::string(name_of(comparison.verdict))},
                     {"exit_code", std::to_string(exit_code(comparison))}};
  const RowNames name_of(comparison);
  for (const ComparisonRow& row : comparison.rows)
    view.cases.push_back(case_of(row, name_of(row), comparison));
  if (is_first(comparison)) view.alerts.push_back({Alarm::notice, comparison_headline(comparison)});
  if (const std::string loosened = gates_loosened(comparison); !loosened.empty())
    view.alerts.push_back({Alarm::warning, loosened, "the compared change loosened them"});
  if (const std::string proposed = proposed_by_change(comparison); !proposed.empty())
    view.alerts.push_back({Alarm::warning, proposed, "have it reviewed with the change"});
  if (const std::string unbuilt = perhaps_unbuilt(comparison); !unbuilt.empty())
    view.alerts.push_back({Alarm::warning, unbuilt, "build them, or name their `build` in the suite"});
  if (const std::string loosened = processes_loosened(comparison); !loosened.empty())
    view.alerts.push_back(
        {Alarm::warning, loosened,
         "--min-processes of this run asks for it; `harness selftest --help` tells the cost"});
  add_whole(view, comparison);
  for (const WaiverNote& note : waiver_notes(comparison))
    view.output.push_back(fmt::format("waiver {}: {}", note.pattern, note.text));
  for (const MachineDifference& one : comparison.differences) view.output.push_back(words(one));
  return view;
}

}  // namespace harness::report
