// Reports: records, summaries and comparisons as text for people and machines. Pure: every function
// returns the text. Names from suites and records are untrusted and escaped for each medium.
#pragma once

#include <string>
#include <vector>

#include "harness/model/comparison.h"
#include "harness/model/plan.h"
#include "harness/model/summary.h"

namespace harness {

enum class Format { terminal, markdown, json };

struct Style {
  bool colour = false;
  int width = 100;  // columns of the terminal
};

// `harness list`.
std::string render_plan(const Plan& plan, Format format, const Style& style);

// After `harness run`: header, the table, skipped and failed cases with reasons, notes.
std::string render_run(const Record& record, const std::vector<Summary>& summaries, Format format,
                       const Style& style);

// `harness compare`: the verdict first, then the rows worst first, then what to do.
std::string render_comparison(const Comparison& comparison, Format format, const Style& style);

}  // namespace harness
