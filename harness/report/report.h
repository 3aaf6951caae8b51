// Reports and formats. A report is made from facts (documents.h) and drawn in any format:
//
//   const Report report = plan_document(plan);
//   const std::string text = render(report, Format::markdown, style);
//
// All functions are pure. Names from suites and records are untrusted; each format escapes them.
#pragma once

#include <cstddef>
#include <functional>
#include <string>
#include <vector>

#include "harness/base/result.h"
#include "harness/model/document.h"
#include "harness/report/ci_view.h"
#include "harness/schema/enum_names.h"

namespace harness {

// The formats, one row each. `draw_NAME` in media/NAME.cpp draws a report.
#define HARNESS_FORMATS(row) row(terminal) row(markdown) row(html) row(json) row(junit) row(github) row(csv)

#define HARNESS_FORMAT(name) name,
enum class Format { HARNESS_FORMATS(HARNESS_FORMAT) };
#undef HARNESS_FORMAT

#define HARNESS_FORMAT(name) {Format::name, #name},
template <>
inline constexpr auto enum_names<Format> = names<Format>({HARNESS_FORMATS(HARNESS_FORMAT)});
#undef HARNESS_FORMAT

struct Style {
  bool colour = false;
  int width = 100;                 // columns of the terminal
  std::size_t markdown_limit = 0;  // the most bytes of Markdown; 0: no limit
  std::string whole = {};          // the file with the full report, when Markdown is shortened: "report.html"
  bool unicode = true;             // the terminal shows more than ASCII
  bool verbose = false;            // the terminal shows folded findings in full
};

// The facts may be referred to by the functions, so they must live as long as the report.
struct Report {
  report::Document document;
  std::function<report::CiView()> ci;  // for JUnit and GitHub
  std::function<std::string()> json;   // the facts, for programs
  std::function<std::string(std::size_t)> page =
      {};  // the data of the interactive page, within so many bytes
};

std::string render(const Report& report, Format format, const Style& style = {});

// One of several reports of a command: that of a suite, and what it alone makes the exit status.
struct SuiteReport {
  std::string suite;
  int status = 0;
  Report report = {};
  bool leads = false;  // about the suites of the others: its headline is the one of all
};

// Several reports in one text, with a summary of one line a suite. JSON has a list of the reports
// (harness-reports), JUnit a test suite each, CSV a column `suite`.
std::string render(const std::vector<SuiteReport>& reports, int status, Format format,
                   const Style& style = {});
// The summary alone, for a terminal that has the reports already. "" where no report has a result.
std::string render_summary(const std::vector<SuiteReport>& reports, int status, const Style& style = {});

// An error when this build lacks what the format needs: a page that was not built.
Status check_built(Format format);

}  // namespace harness
