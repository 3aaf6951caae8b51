#include "harness/report/explanation.h"

#include <fmt/format.h>

#include "harness/report/comparison_table.h"
#include "harness/report/explanation_steps.h"
#include "harness/report/markdown_lists.h"
#include "harness/report/markdown_text.h"
#include "harness/report/terminal_lists.h"
#include "harness/report/terminal_text.h"

namespace harness {
namespace {

using namespace report;

std::string terminal_text(const Retelling& explanation, const Style& style) {
  std::string text = fact_lines(explanation_facts(explanation), style);
  for (const ExplainedRow& row : explained_rows(explanation)) {
    text += "\n" + painted_lines(wrapped(row.headline, "", style), paint_for(row.verdict), style);
    int number = 0;
    for (const Step& step : row.steps) {
      text += "\n" + paint(fmt::format("{}. {}", ++number, step.title), Paint::strong, style) + "\n";
      for (const std::string& line : step.lines) text += wrapped(line, "   - ", style);
      if (!step.table.sections.empty()) text += draw(step.table, style);
      for (const std::string& line : step.after)
        text += painted_lines(wrapped(line, "   ", style), Paint::faint, style);
    }
  }
  return text;
}

std::string markdown_text(const Retelling& explanation) {
  std::string text = markdown_facts(explanation_facts(explanation));
  for (const ExplainedRow& row : explained_rows(explanation)) {
    text += "\n### " + markdown_prose(row.headline) + "\n";
    int number = 0;
    for (const Step& step : row.steps) {
      text += fmt::format("\n**{}. {}**\n\n", ++number, markdown_prose(step.title));
      for (const std::string& line : step.lines) text += "- " + markdown_prose(line) + "\n";
      if (!step.table.sections.empty()) text += markdown_table(step.table);
      for (const std::string& line : step.after) text += "\n" + markdown_prose(line) + "\n";
    }
  }
  return text;
}

}  // namespace

std::string render_explanation(const Retelling& explanation, Format format, const Style& style) {
  return format == Format::markdown ? markdown_text(explanation) : terminal_text(explanation, style);
}

}  // namespace harness
