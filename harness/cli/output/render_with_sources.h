// Rendering with sources: reports together with the records that they were made from and the command that
// makes them again, which the HTML page shows.
#pragma once

#include <string>
#include <vector>

#include "harness/report/report.h"

namespace harness {

// The command line of this process in words for a shell, without a password that it may hold.
std::string command_line();

// A run's report.
std::string render_measured(const Record& record, const std::vector<Summary>& summaries, Format format,
                            const Style& style);

// A comparison's report. A baseline without cases is none.
std::string render_judged(const Comparison& comparison, const Record& baseline, const Record& current,
                          Format format, const Style& style);

}  // namespace harness
