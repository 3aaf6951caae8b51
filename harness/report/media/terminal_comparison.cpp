#include <fmt/format.h>

#include "harness/report/documents/comparison_table.h"
#include "harness/report/documents/identity.h"
#include "harness/report/media/terminal_lists.h"
#include "harness/report/media/terminal_text.h"
#include "harness/report/numbers.h"
#include "harness/report/reporter.h"

namespace harness::report {
namespace {

constexpr std::size_t most_named = 6;  // cases listed by name under one explanation

std::string explanation_lines(const Explanation& why, const Style& style) {
  const std::size_t room = columns_of(style) - 2;
  std::string text;
  const bool many = why.cases.size() > most_named;
  const ReasonGroup group{why.reason, why.cases};
  if (many) {
    text +=
        paint(fmt::format("  {}", counted(why.cases.size(), "case", "cases")), Paint::strong, style) + "\n";
    for (const Abridged& some : abridge(why.cases))
      text += "    " +
              paint(safe_name(some.pattern, room - 14) +
                        (some.count > 1 ? fmt::format("  ({})", some.count) : ""),
                    Paint::faint, style) +
              "\n";
  } else {
    for (const std::string& id : why.cases)
      text += "  " + paint(safe_name(id, room), Paint::strong, style) + "\n";
  }
  if (!why.standing.empty())
    text += painted_lines(wrapped(why.standing, "      ", style), Paint::doubtful, style);
  if (!why.reason.empty()) text += wrapped(words_for(why.verdict) + ": " + why.reason, "      ", style);
  for (const std::string& kernel : why.kernels) text += wrapped(kernel, "      ", style);
  for (const std::string& advice : why.advice) text += wrapped(advice, "      - ", style);
  if (!why.where.empty()) text += painted_lines(wrapped(why.where, "      at ", style), Paint::faint, style);
  return text;
}

std::string waiver_lines(const WaiverNote& note, const Style& style) {
  std::string text =
      "  " + paint(safe_name(note.pattern, columns_of(style) - 2), Paint::strong, style) + "\n";
  text += painted_lines(wrapped(note.text, "      ", style), note.paint, style);
  for (const std::string& advice : note.advice) text += wrapped(advice, "      - ", style);
  if (!note.where.empty())
    text += painted_lines(wrapped(note.where, "      at ", style), Paint::faint, style);
  return text;
}

// A heading and its lines, or nothing.
std::string listed(std::string_view heading, const std::vector<std::string>& lines, std::string_view lead,
                   const Style& style) {
  if (lines.empty()) return {};
  std::string text = "\n" + paint(heading, Paint::strong, style) + "\n";
  for (const std::string& line : lines) text += wrapped(line, lead, style);
  return text;
}

}  // namespace

std::string terminal_comparison(const Comparison& comparison, const Style& style, const Sources&) {
  const ComparisonReport report = describe_comparison(comparison);
  Paint mood = paint_for(comparison.verdict);
  if (mood == Paint::faint) mood = Paint::strong;
  std::string text = painted_lines(wrapped(report.headline, "", style), mood, style);
  text += fact_lines(report.facts, style);
  if (!report.grid.sections.empty()) text += "\n" + draw(report.grid, style) + "\n";
  for (const std::string& line : report.legend)
    text += painted_lines(wrapped(line, "  ", style), Paint::faint, style);
  if (!report.explanations.empty()) text += "\n" + paint("why", Paint::strong, style) + "\n";
  for (const Explanation& why : report.explanations) text += explanation_lines(why, style);
  if (!report.waivers.empty()) text += "\n" + paint("waivers", Paint::strong, style) + "\n";
  for (const WaiverNote& note : report.waivers) text += waiver_lines(note, style);
  text += listed("about the policy", report.remarks, "  - ", style);
  text += listed("the environments differ", report.differences, "  ", style);
  text += listed("what to do", report.next, "  - ", style);
  return text + "\n" + painted_lines(wrapped(report.exit_meaning, "", style), Paint::faint, style);
}

}  // namespace harness::report
