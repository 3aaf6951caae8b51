#include <fmt/format.h>

#include <algorithm>

#include "harness/base/text.h"
#include "harness/report/documents/run_table.h"
#include "harness/report/media/terminal_lists.h"
#include "harness/report/media/terminal_text.h"
#include "harness/report/numbers.h"
#include "harness/report/reporter.h"

namespace harness::report {
namespace {

std::string unmeasured_block(const Unmeasured& some, const Style& style) {
  const bool skipped = some.outcome == Outcome::skipped;
  const std::string name = skipped ? "skipped" : loud_name(some.outcome);
  std::string text = "\n" +
                     paint(fmt::format("{}: {}", name, counted(some.count, "case", "cases")),
                           skipped ? Paint::strong : Paint::bad, style) +
                     "\n";
  for (const ReasonGroup& group : some.reasons)
    text += skipped ? abridged_reason(group, style) : full_reason(group, style);
  return text;
}

}  // namespace

std::string terminal_run(const Record& record, const std::vector<Summary>& summaries, const Style& style,
                         const Sources&) {
  const RunReport report = describe_run(record, summaries);
  std::string text =
      painted_lines(wrapped(report.headline, "", style), report.healthy ? Paint::strong : Paint::bad, style);
  text += fact_lines(report.facts, style);
  for (const MetricTable& table : report.tables)
    text += "\n" + painted_lines(wrapped(table.title, "", style), Paint::strong, style) + "\n" +
            draw(table.grid, style);
  if (!report.legend.empty()) text += "\n";
  for (const std::string& line : report.legend)
    text += painted_lines(wrapped(line, "  ", style), Paint::faint, style);
  if (!report.first_call_remark.empty()) text += wrapped(report.first_call_remark, "  ", style);
  for (const Unmeasured& some : report.unmeasured) text += unmeasured_block(some, style);
  if (!report.notes.empty()) text += "\n" + paint("notes", Paint::strong, style) + "\n";
  for (const ReasonGroup& note : report.notes) text += abridged_reason(note, style);
  return text;
}

}  // namespace harness::report
