// A selftest as text: error rates with their bounds, a row a noise and plan. Pure. JSON: `harness-selftest`,
// described in formats.md.
#pragma once

#include <string>

#include "harness/model/error_rates.h"
#include "harness/report/report.h"

namespace harness {

// For the terminal, in Markdown or as JSON; other formats are drawn as for the terminal.
std::string render_selftest(const SelftestReport& report, Format format, const Style& style);

}  // namespace harness
