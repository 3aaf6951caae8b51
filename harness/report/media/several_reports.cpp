#include <fmt/format.h>

#include "harness/base/text.h"
#include "harness/report/media/media.h"
#include "harness/report/numbers.h"

namespace harness {
namespace {

using report::Document;

// The headline of a suite's report without the suite's name, which stands before it.
std::string headline_of(const SuiteReport& one) {
  const std::string& headline = one.report.document.headline;
  if (headline == one.suite) return {};
  const std::string prefix = one.suite + ": ";
  return headline.starts_with(prefix) ? headline.substr(prefix.size()) : headline;
}

// One line a suite. Reports that are only about their suite have none.
Document summary_of(const std::vector<SuiteReport>& reports, int status) {
  Document summary;
  std::size_t red = 0;
  for (const SuiteReport& one : reports) {
    red += one.status == 0 ? 0 : 1;
    if (one.status == status && summary.tone != report::Paint::bad) summary.tone = one.report.document.tone;
    if (one.leads) continue;
    if (const std::string line = headline_of(one); !line.empty()) summary.facts.emplace_back(one.suite, line);
  }
  if (!reports.empty() && reports.front().leads) {
    summary.title = reports.front().report.document.title;
    summary.headline = fmt::format("{}; {}", report::counted(reports.size() - 1, "suite", "suites"),
                                   reports.front().report.document.headline);
    return summary;
  }
  const std::string all = report::counted(reports.size(), "suite", "suites");
  summary.headline = red == 0 ? fmt::format("{}; exit {}", all, status)
                              : fmt::format("{} of {} did not pass; exit {}", red, all, status);
  summary.marked = true;
  return summary;
}

// Each gets an equal part of what Markdown may take.
Style style_of_one(Style style, std::size_t texts) {
  style.markdown_limit /= texts;
  return style;
}

}  // namespace

std::string render(const std::vector<SuiteReport>& reports, int status, Format format, const Style& style) {
  const Report summary{summary_of(reports, status), {}, {}};
  switch (format) {
    case Format::html: return report::draw_html(reports, summary.document);
    case Format::json: return report::draw_json(reports, status);
    case Format::junit: return report::draw_junit(reports);
    case Format::csv: return report::draw_csv(reports);
    case Format::terminal:
    case Format::markdown:
    case Format::github: break;
  }
  const Style each = style_of_one(style, reports.size() + 1);
  std::vector<std::string> texts;
  for (const SuiteReport& one : reports) texts.push_back(render(one.report, format, each));
  if (format == Format::github) return join(texts, "");
  // The summary stands where people look first: at the end in a terminal, at the top of a file.
  if (summary.document.facts.empty()) return join(texts, "\n");
  texts.insert(format == Format::terminal ? texts.end() : texts.begin(), render(summary, format, each));
  return join(texts, "\n");
}

std::string render_summary(const std::vector<SuiteReport>& reports, int status, const Style& style) {
  const Report summary{summary_of(reports, status), {}, {}};
  return summary.document.facts.empty() ? std::string() : render(summary, Format::terminal, style);
}

}  // namespace harness
