// A bisection as text: the commits tested with their verdicts, then the culprit. Pure. JSON:
// `harness-bisect`, described in formats.md.
#pragma once

#include <string>

#include "harness/model/bisection_log.h"
#include "harness/report/report.h"

namespace harness {

// For the terminal, in Markdown or as JSON; other formats are drawn as for the terminal.
std::string render_bisect(const BisectReport& report, Format format, const Style& style);

}  // namespace harness
