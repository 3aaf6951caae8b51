// The functions that draw a report, one a format: draw_terminal(), draw_markdown() ...
#pragma once

#include <string>
#include <vector>

#include "harness/report/report.h"

namespace harness::report {

#define HARNESS_FORMAT(name) std::string draw_##name(const Report& report, const Style& style);
HARNESS_FORMATS(HARNESS_FORMAT)
#undef HARNESS_FORMAT

// The formats in which several reports are more than one after another.
std::string draw_html(const std::vector<SuiteReport>& reports, const Document& summary);
std::string draw_json(const std::vector<SuiteReport>& reports, int status);
std::string draw_junit(const std::vector<SuiteReport>& reports);
std::string draw_csv(const std::vector<SuiteReport>& reports);

}  // namespace harness::report
