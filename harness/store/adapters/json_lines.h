// Import: samples that another tool took, as JSON Lines, into a record like any other. The format
// (version 1) is described in README.md of this folder. One object a (case, metric, process,
// placement), samples in the order taken:
//   {"case": "gelu/mode=cold", "metric": "gpu_time", "unit": "us", "process": 1, "placement": 0,
//    "samples": [23.7, 23.6]}
// optional: "first_call", "tags", "direction"; a leading {"machine": {...}, "session": "..."} object names
// the machine and the sitting.
#pragma once

#include <string>
#include <string_view>

#include "harness/base/result.h"
#include "harness/model/record.h"

namespace harness {

// All errors at once, with file:line.
Checked<Record> import_json_lines(std::string_view text, const std::string& file);

}  // namespace harness
