#include <fmt/format.h>

#include "harness/report/documents/plan_outline.h"
#include "harness/report/media/terminal_lists.h"
#include "harness/report/media/terminal_text.h"
#include "harness/report/numbers.h"
#include "harness/report/reporter.h"

namespace harness::report {

std::string terminal_plan(const Plan& plan, const Style& style) {
  const PlanReport report = describe_plan(plan);
  std::string text = painted_lines(wrapped(report.headline, "", style), Paint::strong, style);
  text += fact_lines(report.facts, style);
  if (!report.grid.sections.empty()) text += "\n" + draw(report.grid, style);
  if (report.skipped_count > 0)
    text += "\n" +
            paint(fmt::format("skipped: {}", counted(report.skipped_count, "case", "cases")), Paint::strong,
                  style) +
            "\n";
  for (const ReasonGroup& group : report.skipped) text += abridged_reason(group, style);
  return text;
}

}  // namespace harness::report
