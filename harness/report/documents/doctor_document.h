// An examination as text: what `harness doctor` shows. Pure. JSON: `harness-doctor`, described in
// harness/doctor/doctor.md.
#pragma once

#include <string>

#include "harness/model/examination.h"
#include "harness/report/report.h"

namespace harness {

// For the terminal or as JSON; other formats are drawn as for the terminal.
std::string render_examination(const Examination& examination, Format format, const Style& style);

}  // namespace harness
