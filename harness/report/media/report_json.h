// JSON of whole reports, from their lists of fields. Pure.
#pragma once

#include <string>
#include <vector>

#include "harness/model/results/comparison.h"
#include "harness/model/results/summary.h"
#include "harness/schema/json_fields.h"

namespace harness::report {

// `harness-run-report` and `harness-comparison`, which other reports hold, too.
std::string run_report(const Record& record, const std::vector<Summary>& summaries);
std::string comparison_report(const Comparison& comparison);

// The same JSON without "##[", which a runner of GitHub's takes for a command. In JSON it can only stand
// inside a text.
std::string without_commands(std::string text);

// A described struct as the JSON of a report.
template <class Struct>
std::string report_json(const Struct& value, const DocumentFormat& format) {
  return without_commands(to_json(Described<Struct>::fields, value, JsonLayout::lines, &format) + "\n");
}

}  // namespace harness::report
