// A calibration as text: spreads, false alarms and proposals, a row a case. Pure. JSON:
// `harness-calibration`, described in formats.md.
#pragma once

#include <string>

#include "harness/model/spread.h"
#include "harness/report/report.h"

namespace harness {

// For the terminal, in Markdown or as JSON; other formats are drawn as for the terminal.
std::string render_calibration(const CalibrationReport& report, Format format, const Style& style);

}  // namespace harness
