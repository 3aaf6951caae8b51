#include <fmt/format.h>

#include <algorithm>

#include "harness/base/text.h"
#include "harness/base/units.h"
#include "harness/report/documents/comparison_remarks.h"
#include "harness/report/documents/standing.h"
#include "harness/report/media/junit_suite.h"
#include "harness/report/numbers.h"
#include "harness/report/reporter.h"

namespace harness::report {
namespace {

using Result = JunitCase::Result;

// So that a CI that reads nothing but this file is red exactly when the exit code is not 0.
Result result_of(const ComparisonRow& row, const Policy& policy) {
  if (row.verdict == Verdict::skipped) return Result::skipped;
  switch (effect_of(row, policy)) {
    case Effect::passes: return Result::passed;
    case Effect::allowed: return Result::skipped;
    case Effect::fails: break;
  }
  return row.verdict == Verdict::failed ? Result::error : Result::failure;
}

std::string figures_of(const ComparisonRow& row) {
  std::string text = fmt::format("{}: {}", row.metric, values_text(row));
  if (has_numbers(row)) text += ", " + signed_percent(row.ratio - 1);
  if (row.interval)
    text += fmt::format(" {} at {}", percent_bounds(*row.interval), level_text(alpha_of_look(row)));
  const bool improved = row.verdict == Verdict::improved;
  text += fmt::format("; margin {}, p {}, adjusted p {}; {} against {} processes{}",
                      plain_percent(row.margin), probability(improved ? row.p_improved : row.p),
                      probability(improved ? row.p_improved_adjusted : row.p_adjusted),
                      row.baseline.processes, row.current.processes, look_words(row));
  return text;
}

JunitCase judged_case(const ComparisonRow& row, const std::string& name, const Comparison& comparison) {
  JunitCase one{name, comparison.suite, row.where};
  one.result = result_of(row, comparison.policy);
  one.type = std::string(name_of(row.verdict));
  const double factor = seconds_per_unit(row.unit);
  if (factor > 0 && row.current.center > 0) one.seconds = row.current.center * factor;
  const std::string standing = standing_words(row);
  std::vector<std::string> lines;
  if (!standing.empty()) lines.push_back(standing);
  lines.push_back(fmt::format("{}: {}", words_for(row.verdict),
                              row.reason.empty() ? "no reason was recorded" : row.reason));
  one.message = join(lines, "; ");
  if (one.result == Result::skipped && standing.empty() && row.verdict != Verdict::skipped)
    one.message += " (let through by --allow)";
  if (has_numbers(row) || has_values_alone(row)) lines.push_back(figures_of(row));
  for (const std::string& kernel : kernel_words(row)) lines.push_back(kernel);
  lines.insert(lines.end(), row.advice.begin(), row.advice.end());
  one.body = one.output = join(lines, "\n");
  return one;
}

}  // namespace

std::string junit_comparison(const Comparison& comparison, const Style&, const Sources&) {
  JunitSuite suite{comparison.suite, {}, comparison_facts(comparison), {}, {}};
  suite.properties.insert(suite.properties.begin(), {{"commit", comparison.current.revision.commit},
                                                     {"baseline_commit", comparison.baseline.revision.commit},
                                                     {"device", comparison.current.device},
                                                     {"verdict", std::string(name_of(comparison.verdict))},
                                                     {"exit_code", std::to_string(exit_code(comparison))}});
  const std::vector<std::string> names = row_names(comparison);
  for (std::size_t i = 0; i < comparison.rows.size(); ++i)
    suite.cases.push_back(judged_case(comparison.rows[i], names[i], comparison));
  const bool red = std::any_of(suite.cases.begin(), suite.cases.end(), [](const JunitCase& one) {
    return one.result == Result::failure || one.result == Result::error;
  });
  if (!red && exit_code(comparison) != 0) {  // nothing was compared at all
    JunitCase whole{"(the whole comparison)", comparison.suite, {comparison.suite_file}};
    whole.result = Result::failure;
    whole.type = std::string(name_of(comparison.verdict));
    whole.message = comparison_headline(comparison);
    whole.body = exit_code_meaning(comparison);
    suite.cases.push_back(std::move(whole));
  }
  std::vector<std::string> lines{comparison_headline(comparison)};
  for (const WaiverNote& note : waiver_notes(comparison))
    lines.push_back(fmt::format("waiver {}: {}", note.pattern, note.text));
  for (const std::string& difference : comparison.differences) lines.push_back(difference);
  lines.push_back(exit_code_meaning(comparison));
  suite.output = join(lines, "\n");
  return junit_text(suite);
}

}  // namespace harness::report
