// Reporter: one output medium. A new medium is one file that defines a Reporter, one row in report.cpp
// and goldens of its own. Reporters are pure; any thread may call them.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "harness/report/report.h"

namespace harness::report {

struct Reporter {
  Format format;
  std::string_view name;  // as `--format` and `--report` have it
  std::string (*plan)(const Plan&, const Style&);
  std::string (*run)(const Record&, const std::vector<Summary>&, const Style&, const Sources&);
  std::string (*comparison)(const Comparison&, const Style&, const Sources&);
};

extern const Reporter terminal_reporter;
extern const Reporter markdown_reporter;
extern const Reporter html_reporter;
extern const Reporter json_reporter;
extern const Reporter junit_reporter;
extern const Reporter github_reporter;

// The terminal's three reports, a file each; terminal.cpp makes the reporter of them.
std::string terminal_plan(const Plan& plan, const Style& style);
std::string terminal_run(const Record& record, const std::vector<Summary>& summaries, const Style& style,
                         const Sources& sources);
std::string terminal_comparison(const Comparison& comparison, const Style& style, const Sources& sources);

// Likewise Markdown's.
std::string markdown_plan(const Plan& plan, const Style& style);
std::string markdown_run(const Record& record, const std::vector<Summary>& summaries, const Style& style,
                         const Sources& sources);
std::string markdown_comparison(const Comparison& comparison, const Style& style, const Sources& sources);

// JUnit's longest.
std::string junit_comparison(const Comparison& comparison, const Style& style, const Sources& sources);

}  // namespace harness::report
