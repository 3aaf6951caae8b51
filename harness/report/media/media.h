// The functions that draw a report, one a format: draw_terminal(), draw_markdown() ...
#pragma once

#include <string>

#include "harness/report/report.h"

namespace harness::report {

#define HARNESS_FORMAT(name) std::string draw_##name(const Report& report, const Style& style);
HARNESS_FORMATS(HARNESS_FORMAT)
#undef HARNESS_FORMAT

}  // namespace harness::report
