#include <fmt/format.h>

#include "harness/report/comparison_table.h"
#include "harness/report/identity.h"
#include "harness/report/markdown_lists.h"
#include "harness/report/markdown_text.h"
#include "harness/report/numbers.h"
#include "harness/report/reporter.h"

namespace harness::report {
namespace {

constexpr std::size_t most_named = 10;

std::string mark_for(Verdict verdict) {
  switch (paint_for(verdict)) {
    case Paint::bad: return "🔴 ";
    case Paint::doubtful: return "🟡 ";
    case Paint::good: return "🟢 ";
    default: return "⚪ ";
  }
}

std::string explanation_item(const Explanation& why) {
  std::string cases;
  if (why.cases.size() <= most_named) {
    for (const std::string& id : why.cases) cases += (cases.empty() ? "" : ", ") + markdown_code(id);
  } else {
    for (const Abridged& some : abridge(why.cases))
      cases += (cases.empty() ? "" : ", ") + markdown_code(some.pattern) +
               (some.count > 1 ? fmt::format(" ({})", some.count) : "");
  }
  std::string text = "- " + mark_for(why.verdict) + "**" + words_for(why.verdict) + "** " + cases;
  if (!why.where.empty()) text += " at " + markdown_code(why.where);
  text += "\n";
  if (!why.reason.empty()) text += "  - " + markdown_prose(why.reason) + "\n";
  for (const std::string& advice : why.advice) text += "  - " + markdown_prose(advice) + "\n";
  return text;
}

// Unchanged rows are folded away; the others stay in sight.
std::string tables(const Grid& grid) {
  Grid notable = grid;
  Grid quiet = grid;
  notable.sections.clear();
  quiet.sections.clear();
  std::size_t quiet_rows = 0;
  for (const Section& section : grid.sections) {
    (section.paint == Paint::faint ? quiet : notable).sections.push_back(section);
    if (section.paint == Paint::faint) quiet_rows += section.rows.size();
  }
  if (quiet.sections.size() == 1) quiet.sections.front().heading.clear();  // the summary says it
  std::string text;
  if (!notable.sections.empty()) text += "\n" + markdown_table(notable);
  if (!quiet.sections.empty())
    text += "\n" +
            markdown_details("unchanged: " + counted(quiet_rows, "result", "results"), markdown_table(quiet));
  return text;
}

}  // namespace

std::string markdown_comparison(const Comparison& comparison, const Style&, const Sources&) {
  const ComparisonReport report = describe_comparison(comparison);
  std::string text = "### " + mark_for(comparison.verdict) + markdown_prose(report.headline) + "\n\n" +
                     markdown_facts(report.facts) + tables(report.grid);
  for (const std::string& line : report.legend) text += "\n" + markdown_prose(line) + "\n";
  if (!report.explanations.empty()) text += "\n**why**\n\n";
  for (const Explanation& why : report.explanations) text += explanation_item(why);
  if (!report.differences.empty()) text += "\n**the environments differ**\n\n";
  for (const std::string& difference : report.differences) text += "- " + markdown_prose(difference) + "\n";
  if (!report.next.empty()) text += "\n**what to do**\n\n";
  for (const std::string& step : report.next) text += "- " + markdown_prose(step) + "\n";
  return text + "\n" + markdown_prose(report.exit_meaning) + "\n";
}

}  // namespace harness::report
