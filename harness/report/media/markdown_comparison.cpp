#include <fmt/format.h>

#include <algorithm>

#include "harness/base/text.h"
#include "harness/report/documents/comparison_table.h"
#include "harness/report/documents/identity.h"
#include "harness/report/media/markdown_limit.h"
#include "harness/report/media/markdown_lists.h"
#include "harness/report/media/markdown_text.h"
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

std::string explanation_item(const Explanation& why, bool shortened) {
  std::string cases;
  std::size_t patterns = 0;
  if (why.cases.size() <= most_named) {
    for (const std::string& id : why.cases) cases += (cases.empty() ? "" : ", ") + markdown_code(id);
  } else {
    for (const Abridged& some : abridge(why.cases)) {
      if (shortened && ++patterns > most_named) break;
      cases += (cases.empty() ? "" : ", ") + markdown_code(some.pattern) +
               (some.count > 1 ? fmt::format(" ({})", some.count) : "");
    }
    if (patterns > most_named) cases += fmt::format(", ... ({} in all)", grouped_digits(why.cases.size()));
  }
  const std::string mark = why.standing.empty() ? mark_for(why.verdict) : "🟡 ";
  std::string text = "- " + mark + "**" + words_for(why.verdict) + "** " + cases;
  if (!why.where.empty()) text += " at " + markdown_code(why.where);
  text += "\n";
  if (!why.standing.empty()) text += "  - **" + markdown_prose(why.standing) + "**\n";
  if (!why.reason.empty()) text += "  - " + markdown_prose(why.reason) + "\n";
  for (const std::string& kernel : why.kernels) text += "  - " + markdown_prose(kernel) + "\n";
  for (const std::string& advice : why.advice) text += "  - " + markdown_prose(advice) + "\n";
  return text;
}

std::string waiver_item(const WaiverNote& note) {
  std::string text = "- " + markdown_code(note.pattern);
  if (!note.where.empty()) text += " at " + markdown_code(note.where);
  text += "\n  - " + markdown_prose(note.text) + "\n";
  for (const std::string& advice : note.advice) text += "  - " + markdown_prose(advice) + "\n";
  return text;
}

// "**why**" and the first `most` items of a list, or nothing.
template <class Item, class Draw>
std::string listed(std::string_view heading, const std::vector<Item>& items, std::size_t most, Draw draw) {
  if (items.empty() || most == 0) return {};
  std::string text = fmt::format("\n**{}**\n\n", heading);
  for (std::size_t i = 0; i < std::min(items.size(), most); ++i) text += draw(items[i]);
  return text;
}

std::string plain_item(const std::string& line) {
  return "- " + markdown_prose(line) + "\n";
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
  const bool one = quiet.sections.size() == 1;
  const std::string heading = one ? quiet.sections.front().heading : "without a change";
  if (one) quiet.sections.front().heading.clear();  // the summary says it
  std::string text;
  if (!notable.sections.empty()) text += "\n" + markdown_table(notable);
  if (!quiet.sections.empty())
    text += "\n" + markdown_details(heading + ": " + counted(quiet_rows, "result", "results"),
                                    markdown_table(quiet));
  return text;
}

// How to see the whole again.
std::string command_for(const Comparison& comparison, const Sources& sources) {
  if (!sources.command.empty()) return sources.command;
  return fmt::format("harness compare --baseline {} --current {}", shell_quoted(comparison.baseline.id),
                     shell_quoted(comparison.current.id));
}

// With the first `most` of every list.
std::string shortened(const ComparisonReport& report, Verdict verdict, std::size_t most, const Style& style,
                      const std::string& command) {
  const bool cut = most != everything;
  const std::size_t rows = count_rows(report.grid);
  const auto shown = [&](std::size_t all) { return std::min(all, most); };
  std::string text = "### " + mark_for(verdict) + markdown_prose(report.headline) + "\n\n";
  if (cut)
    text += shortened_note({{"rows of the table", shown(rows), rows},
                            {"explanations", shown(report.explanations.size()), report.explanations.size()},
                            {"waivers", shown(report.waivers.size()), report.waivers.size()},
                            {"differences", shown(report.differences.size()), report.differences.size()}},
                           style, command) +
            "\n";
  text += markdown_facts(report.facts) + tables(cut ? first_rows(report.grid, most) : report.grid);
  for (const std::string& line : report.legend) text += "\n" + markdown_prose(line) + "\n";
  text += listed("why", report.explanations, most,
                 [&](const Explanation& why) { return explanation_item(why, cut); });
  text += listed("waivers", report.waivers, most, waiver_item);
  text += listed("about the policy", report.remarks, most, plain_item);
  text += listed("the environments differ", report.differences, most, plain_item);
  text += listed("what to do", report.next, everything, plain_item);
  return text + "\n" + markdown_prose(report.exit_meaning) + "\n";
}

}  // namespace

std::string markdown_comparison(const Comparison& comparison, const Style& style, const Sources& sources) {
  const ComparisonReport report = describe_comparison(comparison);
  const std::string command = command_for(comparison, sources);
  const auto render = [&](std::size_t most) {
    return shortened(report, comparison.verdict, most, style, command);
  };
  const std::string headline =
      "### " + mark_for(comparison.verdict) + markdown_prose(report.headline) + "\n\n";
  constexpr std::size_t longest_name = 60;
  const std::string note = shortened_note({}, style, command, longest_name);
  const std::string end = "\n" + markdown_prose(report.exit_meaning) + "\n";
  const std::size_t most =
      std::max({count_rows(report.grid), report.explanations.size(), report.waivers.size(),
                report.remarks.size(), report.differences.size()});
  return fit_markdown(style.markdown_limit, most, render,
                      {headline + note + listed("what to do", report.next, everything, plain_item) + end,
                       headline + note + end});
}

}  // namespace harness::report
