#include <fmt/format.h>

#include "harness/report/markdown_lists.h"
#include "harness/report/markdown_text.h"
#include "harness/report/numbers.h"
#include "harness/report/plan_outline.h"
#include "harness/report/reporter.h"
#include "harness/report/run_table.h"

namespace harness::report {

std::string markdown_facts(std::span<const std::pair<std::string, std::string>> facts) {
  std::string text;
  for (const auto& [name, value] : facts)
    text += "- **" + markdown_prose(name) + "**: " + markdown_prose(value) + "\n";
  return text;
}

std::string markdown_abridged(const ReasonGroup& group) {
  std::string text = "- " + markdown_prose(group.reason) + "\n";
  for (const Abridged& some : abridge(group.ids))
    text += "  - " + markdown_code(some.pattern) +
            (some.count > 1 ? fmt::format(" ({} cases)", grouped_digits(some.count)) : "") + "\n";
  return text;
}

std::string markdown_full(const ReasonGroup& group) {
  std::string text;
  for (const std::string& id : group.ids) text += "- " + markdown_code(id) + "\n";
  return text + "  - " + markdown_prose(group.reason) + "\n";
}

std::string markdown_plan(const Plan& plan, const Style&) {
  const PlanReport report = describe_plan(plan);
  std::string text = "### " + markdown_prose(report.headline) + "\n\n" + markdown_facts(report.facts);
  if (!report.grid.sections.empty()) text += "\n" + markdown_table(report.grid);
  std::string skipped;
  for (const ReasonGroup& group : report.skipped) skipped += markdown_abridged(group);
  if (!skipped.empty())
    text += "\n" + markdown_details("skipped: " + counted(report.skipped_count, "case", "cases"), skipped);
  return text;
}

std::string markdown_run(const Record& record, const std::vector<Summary>& summaries, const Style&,
                         const Sources&) {
  const RunReport report = describe_run(record, summaries);
  std::string text =
      std::string("### ") + (report.healthy ? "" : "🔴 ") + markdown_prose(report.headline) + "\n";
  // What failed comes before what was measured: a summary may be cut off at the end.
  for (const Unmeasured& some : report.unmeasured) {
    if (some.outcome == Outcome::skipped) continue;
    text += "\n**" + loud_name(some.outcome) + "**\n\n";
    for (const ReasonGroup& group : some.reasons) text += markdown_full(group);
  }
  for (const MetricTable& table : report.tables)
    text += "\n**" + markdown_prose(table.title) + "**\n\n" + markdown_table(table.grid);
  if (!report.first_call_remark.empty()) text += "\n" + markdown_prose(report.first_call_remark) + "\n";
  if (!report.notes.empty()) text += "\n**notes**\n\n";
  for (const ReasonGroup& note : report.notes) text += markdown_abridged(note);
  for (const Unmeasured& some : report.unmeasured) {
    if (some.outcome != Outcome::skipped) continue;
    std::string skipped;
    for (const ReasonGroup& group : some.reasons) skipped += markdown_abridged(group);
    text += "\n" + markdown_details("skipped: " + counted(some.count, "case", "cases"), skipped);
  }
  std::string about = markdown_facts(report.facts);
  if (!report.legend.empty()) about += "\n";
  for (const std::string& line : report.legend) about += markdown_prose(line) + "\n\n";
  return text + "\n" + markdown_details("where and how this was measured", about);
}

const Reporter markdown_reporter{Format::markdown, "markdown", markdown_plan, markdown_run,
                                 markdown_comparison};

}  // namespace harness::report
