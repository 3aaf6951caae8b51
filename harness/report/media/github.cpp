#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <optional>

#include "harness/base/text.h"
#include "harness/report/documents/comparison_remarks.h"
#include "harness/report/documents/comparison_table.h"
#include "harness/report/documents/plan_outline.h"
#include "harness/report/documents/run_table.h"
#include "harness/report/documents/standing.h"
#include "harness/report/media/github_text.h"
#include "harness/report/numbers.h"
#include "harness/report/reporter.h"

namespace harness::report {
namespace {

using Annotations = std::vector<Annotation>;
using Level = AnnotationLevel;

constexpr std::array<Level, 3> loudest_first{Level::error, Level::warning, Level::notice};

std::optional<Level> level_of(const ComparisonRow& row, const Policy& policy) {
  if (hides_regression(row)) return Level::warning;
  if (row.informative)
    return row.verdict == Verdict::regressed || row.verdict == Verdict::failed ? std::optional(Level::notice)
                                                                               : std::nullopt;
  if (!decides(row)) return Level::warning;  // waived
  switch (row.verdict) {
    case Verdict::failed:
    case Verdict::regressed: return Level::error;
    case Verdict::missing:
    case Verdict::not_comparable:
    case Verdict::inconclusive: return Level::warning;
    case Verdict::improved: return policy.fail_on_improved ? Level::error : Level::notice;
    case Verdict::unchanged:
    case Verdict::skipped: break;
  }
  return std::nullopt;
}

Annotation annotate(const ComparisonRow& row, const std::string& name) {
  std::vector<std::string> lines;
  if (const std::string standing = standing_words(row); !standing.empty()) lines.push_back(standing);
  if (!row.reason.empty()) lines.push_back(row.reason);
  for (const std::string& kernel : kernel_words(row)) lines.push_back(kernel);
  lines.insert(lines.end(), row.advice.begin(), row.advice.end());
  std::string title = words_for(row.verdict);
  if (has_numbers(row)) title += " " + signed_percent(row.ratio - 1);
  return {row.where.file, row.where.line, fmt::format("{}: {}", title, name), join(lines, "\n")};
}

// "2 regressed, 1 improved" of the rows at one level.
std::string tally_at(const Comparison& comparison, Level level) {
  std::vector<Verdict> order;
  std::vector<std::size_t> counts;
  for (const ComparisonRow& row : comparison.rows) {
    if (level_of(row, comparison.policy) != level) continue;
    const auto at = std::find(order.begin(), order.end(), row.verdict);
    if (at == order.end()) {
      order.push_back(row.verdict);
      counts.push_back(1);
    } else {
      ++counts[static_cast<std::size_t>(at - order.begin())];
    }
  }
  std::vector<std::string> parts;
  for (std::size_t i = 0; i < order.size(); ++i)
    parts.push_back(fmt::format("{} {}", counts[i], words_for(order[i])));
  return join(parts, ", ");
}

std::string github_comparison(const Comparison& comparison, const Style&, const Sources&) {
  const std::vector<std::string> names = row_names(comparison);
  const std::string headline = comparison_headline(comparison);
  std::string text;
  bool loud = false;
  for (const Level level : loudest_first) {
    Annotations annotations;
    for (std::size_t i = 0; i < comparison.rows.size(); ++i)
      if (level_of(comparison.rows[i], comparison.policy) == level)
        annotations.push_back(annotate(comparison.rows[i], names[i]));
    // What an exit code of 1 or 5 means is said where the errors are: no warning is its cause.
    const std::string title = text.empty() && level != Level::notice ? headline : tally_at(comparison, level);
    const bool cause = level == Level::error || text.empty();
    loud |= !annotations.empty() && level != Level::notice;
    text += annotation_lines(
        level, {comparison.suite_file, 0, title, cause ? exit_code_meaning(comparison) : ""}, annotations);
  }
  if (const std::string loosened = gates_loosened(comparison); !loosened.empty())
    text += annotation_line(
        Level::warning, {comparison.suite_file, 0, loosened, "the change that this compares loosened them"});
  if (const std::string loosened = processes_loosened(comparison); !loosened.empty())
    text += annotation_line(
        Level::warning,
        {comparison.suite_file, 0, loosened,
         "--min-processes of this run asks for it; `harness selftest --help` tells the price"});
  // Not green for another reason: nothing was compared at all.
  if (!loud && exit_code(comparison) != 0)
    text =
        annotation_line(Level::error, {comparison.suite_file, 0, headline, exit_code_meaning(comparison)}) +
        text;
  return text;
}

std::string github_run(const Record& record, const std::vector<Summary>& summaries, const Style&,
                       const Sources&) {
  const RunReport report = describe_run(record, summaries);
  const auto location_of = [&](const std::string& id) {
    for (const CaseRecord& one : record.cases)
      if (one.id == id) return one.where;
    return Location{};
  };
  std::string text;
  if (record.finished.empty())
    text += annotation_line(Level::error, {record.suite.file, 0, report.headline,
                                           "the run ended before everything was measured"});
  Annotations errors;
  Annotations skipped;
  for (const Unmeasured& some : report.unmeasured)
    for (const ReasonGroup& group : some.reasons)
      for (const std::string& id : group.ids) {
        const Location where = location_of(id);
        (some.outcome == Outcome::skipped ? skipped : errors)
            .push_back(
                {where.file, where.line, fmt::format("{}: {}", loud_name(some.outcome), id), group.reason});
      }
  text += annotation_lines(Level::error, {record.suite.file, 0, report.headline, {}}, errors);
  if (!skipped.empty())
    text += annotation_line(
        Level::notice, {record.suite.file, 0, counted(skipped.size(), "case is", "cases are") + " skipped",
                        skipped.front().message});
  return text;
}

std::string github_plan(const Plan& plan, const Style&) {
  const PlanReport report = describe_plan(plan);
  std::vector<std::string> reasons;
  for (const ReasonGroup& group : report.skipped)
    reasons.push_back(
        fmt::format("{} skipped: {}", counted(group.ids.size(), "case", "cases"), group.reason));
  return annotation_line(Level::notice, {plan.suite.file, 0, report.headline, join(reasons, "\n")});
}

}  // namespace

const Reporter github_reporter{Format::github, "github", github_plan, github_run, github_comparison};

}  // namespace harness::report
