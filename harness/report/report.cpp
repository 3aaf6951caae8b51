#include "harness/report/report.h"

#include <algorithm>
#include <array>

#include "harness/report/reporter.h"

namespace harness {
namespace {

const report::Reporter& reporter_of(Format format) {
  static const std::array<const report::Reporter*, 3> reporters{
      &report::terminal_reporter, &report::markdown_reporter, &report::json_reporter};
  const auto* const found =
      std::find_if(reporters.begin(), reporters.end(),
                   [&](const report::Reporter* reporter) { return reporter->format == format; });
  return found == reporters.end() ? report::terminal_reporter : **found;
}

}  // namespace

std::string render_plan(const Plan& plan, Format format, const Style& style) {
  return reporter_of(format).plan(plan, style);
}

std::string render_run(const Record& record, const std::vector<Summary>& summaries, Format format,
                       const Style& style) {
  return reporter_of(format).run(record, summaries, style);
}

std::string render_comparison(const Comparison& comparison, Format format, const Style& style) {
  return reporter_of(format).comparison(comparison, style);
}

}  // namespace harness
