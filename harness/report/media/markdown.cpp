#include <fmt/format.h>

#include <algorithm>

#include "harness/base/text.h"
#include "harness/report/documents/plan_outline.h"
#include "harness/report/documents/run_table.h"
#include "harness/report/media/markdown_limit.h"
#include "harness/report/media/markdown_lists.h"
#include "harness/report/media/markdown_text.h"
#include "harness/report/media/terminal_text.h"
#include "harness/report/numbers.h"
#include "harness/report/reporter.h"

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

std::string markdown_figures(const ReasonGroup& group) {
  std::string text = "- " + markdown_prose(group.reason) + "\n";
  for (std::size_t i = 0; i < group.ids.size(); ++i)
    text += "  - " + markdown_code(group.ids[i]) + ": " + markdown_prose(group.figures[i]) + "\n";
  return text;
}

std::string markdown_full(const ReasonGroup& group) {
  std::string text;
  for (const std::string& id : group.ids) text += "- " + markdown_code(id) + "\n";
  return text + "  - " + markdown_prose(group.reason) + "\n";
}

namespace {

constexpr std::size_t longest_brief = 60;  // columns of a headline that must fit into very little

std::string abridged_list(const std::vector<ReasonGroup>& groups, std::size_t most) {
  std::string text;
  for (std::size_t i = 0; i < std::min(groups.size(), most); ++i)
    text += most == everything && !groups[i].figures.empty() ? markdown_figures(groups[i])
                                                             : markdown_abridged(groups[i]);
  return text;
}

std::string brief(const std::string& headline, const Style& style, const std::string& command) {
  return "### " + markdown_prose(safe_name(headline, longest_brief)) + "\n\n" +
         shortened_note({}, style, command, longest_brief);
}

std::string plan_text(const PlanReport& report, std::size_t most, const std::string& note) {
  std::string text = "### " + markdown_prose(report.headline) + "\n\n" + note + markdown_facts(report.facts);
  const Grid grid = first_rows(report.grid, most);
  if (!grid.sections.empty()) text += "\n" + markdown_table(grid);
  const std::string skipped = abridged_list(report.skipped, most);
  if (!skipped.empty())
    text += "\n" + markdown_details("skipped: " + counted(report.skipped_count, "case", "cases"), skipped);
  return text;
}

// What failed comes before what was measured.
std::string failures(const RunReport& report, std::size_t most) {
  std::string text;
  for (const Unmeasured& some : report.unmeasured) {
    if (some.outcome == Outcome::skipped || most == 0) continue;
    text += "\n**" + loud_name(some.outcome) + "**\n\n";
    for (std::size_t i = 0; i < std::min(some.reasons.size(), most); ++i)
      text += most == everything ? markdown_full(some.reasons[i]) : markdown_abridged(some.reasons[i]);
  }
  return text;
}

std::string run_text(const RunReport& report, std::size_t most, const std::string& note) {
  std::string text =
      std::string("### ") + (report.healthy ? "" : "🔴 ") + markdown_prose(report.headline) + "\n";
  if (!note.empty()) text += "\n" + note;
  text += failures(report, most);
  for (const MetricTable& table : report.tables) {
    const Grid grid = first_rows(table.grid, most);
    if (!grid.sections.empty())
      text += "\n**" + markdown_prose(table.title) + "**\n\n" + markdown_table(grid);
  }
  if (!report.first_call_remark.empty()) text += "\n" + markdown_prose(report.first_call_remark) + "\n";
  const std::string notes = abridged_list(report.notes, most);
  if (!notes.empty()) text += "\n**notes**\n\n" + notes;
  for (const Unmeasured& some : report.unmeasured) {
    if (some.outcome != Outcome::skipped || most == 0) continue;
    text += "\n" + markdown_details("skipped: " + counted(some.count, "case", "cases"),
                                    abridged_list(some.reasons, most));
  }
  std::string about = markdown_facts(report.facts);
  if (!report.legend.empty()) about += "\n";
  for (const std::string& line : report.legend) about += markdown_prose(line) + "\n\n";
  return text + "\n" + markdown_details("where and how this was measured", about);
}

// Of the longest list of a run.
std::size_t longest_list(const RunReport& report) {
  std::size_t most = report.notes.size();
  for (const MetricTable& table : report.tables) most = std::max(most, count_rows(table.grid));
  for (const Unmeasured& some : report.unmeasured) most = std::max(most, some.reasons.size());
  return most;
}

}  // namespace

std::string markdown_plan(const Plan& plan, const Style& style) {
  const PlanReport report = describe_plan(plan);
  const std::string command = "harness list " + shell_quoted(plan.suite.file);
  const std::size_t rows = count_rows(report.grid);
  const auto note = [&](std::size_t most) {
    if (most == everything) return std::string();
    return shortened_note({{"cases that run", std::min(rows, most), rows}}, style, command) + "\n";
  };
  return fit_markdown(style.markdown_limit, std::max(rows, report.skipped.size()),
                      [&](std::size_t most) { return plan_text(report, most, note(most)); },
                      {brief(report.headline, style, command)});
}

std::string markdown_run(const Record& record, const std::vector<Summary>& summaries, const Style& style,
                         const Sources& sources) {
  const RunReport report = describe_run(record, summaries);
  const std::string command =
      sources.command.empty() ? "harness report " + shell_quoted(record.id) : sources.command;
  std::size_t rows = 0;
  for (const MetricTable& table : report.tables) rows += count_rows(table.grid);
  const auto note = [&](std::size_t most) {
    if (most == everything) return std::string();
    std::size_t shown = 0;
    for (const MetricTable& table : report.tables) shown += std::min(count_rows(table.grid), most);
    return shortened_note({{"rows of the tables", shown, rows},
                           {"notes", std::min(report.notes.size(), most), report.notes.size()}},
                          style, command);
  };
  return fit_markdown(style.markdown_limit, longest_list(report),
                      [&](std::size_t most) { return run_text(report, most, note(most)); },
                      {brief(report.headline, style, command)});
}

const Reporter markdown_reporter{Format::markdown, "markdown", markdown_plan, markdown_run,
                                 markdown_comparison};

}  // namespace harness::report
