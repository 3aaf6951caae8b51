// Explanation reports: `harness explain`, a verdict retold step by step. Pure; names are untrusted and
// escaped for each medium.
#pragma once

#include <string>

#include "harness/model/explanation.h"
#include "harness/report/report.h"

namespace harness {

// As Markdown for Format::markdown, else for a terminal.
std::string render_explanation(const Retelling& explanation, Format format, const Style& style);

}  // namespace harness
