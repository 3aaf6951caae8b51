#include "harness/report/report.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "harness/report/media/page_template.h"
#include "harness/report/reporter.h"

namespace harness {
namespace {

// In the order in which they are listed.
constexpr std::array<const report::Reporter*, 6> reporters{
    &report::terminal_reporter, &report::markdown_reporter, &report::html_reporter,
    &report::json_reporter,     &report::junit_reporter,    &report::github_reporter};

const report::Reporter& reporter_of(Format format) {
  const auto* const found =
      std::find_if(reporters.begin(), reporters.end(),
                   [&](const report::Reporter* reporter) { return reporter->format == format; });
  return found == reporters.end() ? report::terminal_reporter : **found;
}

}  // namespace

std::string_view name_of(Format format) {
  return reporter_of(format).name;
}

std::optional<Format> parse_format(std::string_view name) {
  for (const report::Reporter* reporter : reporters)
    if (reporter->name == name) return reporter->format;
  return std::nullopt;
}

std::vector<std::string> format_names() {
  std::vector<std::string> names;
  for (const report::Reporter* reporter : reporters) names.emplace_back(reporter->name);
  return names;
}

Status check_built(Format format) {
  const std::string_view obstacle = report::page_obstacle();
  if (format != Format::html || obstacle.empty()) return {};
  return fail(ErrorKind::environment, fmt::format("this build has no HTML page: {}", obstacle),
              "install Node.js 18 or newer with npm and configure and build again, or write "
              "markdown=FILE instead");
}

std::string render_plan(const Plan& plan, Format format, const Style& style) {
  return reporter_of(format).plan(plan, style);
}

std::string render_run(const Record& record, const std::vector<Summary>& summaries, Format format,
                       const Style& style, const Sources& sources) {
  return reporter_of(format).run(record, summaries, style, sources);
}

std::string render_comparison(const Comparison& comparison, Format format, const Style& style,
                              const Sources& sources) {
  return reporter_of(format).comparison(comparison, style, sources);
}

}  // namespace harness
