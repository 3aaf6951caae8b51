#include "harness/report/documents/explanation_document.h"

#include <fmt/format.h>

#include "harness/report/documents/comparison_table.h"
#include "harness/report/documents/explanation_steps.h"
#include "harness/report/media/markdown_lists.h"
#include "harness/report/media/markdown_text.h"
#include "harness/report/media/terminal_lists.h"
#include "harness/report/media/terminal_text.h"

namespace harness {
namespace {

std::string terminal_text(const Retelling& explanation, const Style& style) {
  std::string text = report::fact_lines(report::explanation_facts(explanation), style);
  for (const report::ExplainedRow& row : report::explained_rows(explanation)) {
    text += "\n" + report::painted_lines(report::wrapped(row.headline, "", style),
                                         report::paint_for(row.verdict), style);
    int number = 0;
    for (const report::Step& step : row.steps) {
      text += "\n" +
              report::paint(fmt::format("{}. {}", ++number, step.title), report::Paint::strong, style) + "\n";
      for (const std::string& line : step.lines) text += report::wrapped(line, "   - ", style);
      if (!step.table.sections.empty()) text += report::draw(step.table, style);
      for (const std::string& line : step.after)
        text += report::painted_lines(report::wrapped(line, "   ", style), report::Paint::faint, style);
    }
  }
  return text;
}

std::string markdown_text(const Retelling& explanation) {
  std::string text = report::markdown_facts(report::explanation_facts(explanation));
  for (const report::ExplainedRow& row : report::explained_rows(explanation)) {
    text += "\n### " + report::markdown_prose(row.headline) + "\n";
    int number = 0;
    for (const report::Step& step : row.steps) {
      text += fmt::format("\n**{}. {}**\n\n", ++number, report::markdown_prose(step.title));
      for (const std::string& line : step.lines) text += "- " + report::markdown_prose(line) + "\n";
      if (!step.table.sections.empty()) text += report::markdown_table(step.table);
      for (const std::string& line : step.after) text += "\n" + report::markdown_prose(line) + "\n";
    }
  }
  return text;
}

}  // namespace

std::string render_explanation(const Retelling& explanation, Format format, const Style& style) {
  return format == Format::markdown ? markdown_text(explanation) : terminal_text(explanation, style);
}

}  // namespace harness
