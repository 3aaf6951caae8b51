// History as text: a table a device and metric with a sparkline a case, then what changed and between which
// commits. Pure. JSON: `harness-history`, described in formats.md.
#pragma once

#include <string>
#include <vector>

#include "harness/model/case_trend.h"
#include "harness/report/report.h"

namespace harness {

// The formats that a history has: terminal, markdown, json.
std::vector<Format> history_formats();

// `unicode`: whether the terminal shows more than ASCII. Another format than the three is drawn as for the
// terminal.
std::string render_history(const HistoryReport& history, Format format, const Style& style, bool unicode);

}  // namespace harness
