#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "harness/base/text.h"
#include "harness/report/media/github_text.h"
#include "harness/report/media/media.h"

namespace harness::report {
namespace {

constexpr std::array<Alarm, 3> loudest_first{Alarm::error, Alarm::warning, Alarm::notice};

// "2 regressed, 1 improved" of the cases at one level.
std::string tally_at(const CiView& view, Alarm level) {
  std::vector<std::pair<std::string, std::size_t>> counts;
  for (const CiCase& one : view.cases) {
    if (one.alarm != level) continue;
    const auto at = std::find_if(counts.begin(), counts.end(),
                                 [&](const auto& known) { return known.first == one.code; });
    if (at == counts.end())
      counts.emplace_back(one.code, 1);
    else
      ++at->second;
  }
  std::vector<std::string> parts;
  for (auto& [code, count] : counts) {
    std::replace(code.begin(), code.end(), '_', ' ');
    parts.push_back(fmt::format("{} {}", count, code));
  }
  return join(parts, ", ");
}

}  // namespace

std::string draw_github(const Report& report, const Style&) {
  const CiView view = report.ci();
  const Document& document = report.document;
  std::string text;
  bool told = false;  // the headline and the meaning of the exit code
  for (const Alarm level : loudest_first) {
    for (const CiAlert& alert : view.alerts)
      if (alert.alarm == level)
        text += annotation_line(level, {view.suite_file, 0, alert.title, alert.message});
    std::vector<Annotation> annotations;
    for (const CiCase& one : view.cases)
      if (one.alarm == level)
        annotations.push_back(
            {one.where.file, one.where.line, fmt::format("{}: {}", one.label, one.name), one.explanation});
    if (annotations.empty()) continue;
    // The meaning of an exit code of 1 or 5 stands with the errors, because no warning is its cause.
    const std::string title = told || level == Alarm::notice ? tally_at(view, level) : document.headline;
    text += annotation_lines(
        level, {view.suite_file, 0, title, told && level != Alarm::error ? "" : document.exit_meaning},
        annotations);
    told = true;
  }
  return text;
}

}  // namespace harness::report
