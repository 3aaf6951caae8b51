// Waivers: a YAML file beside the code, of regressions and undecided results that the team accepts for a
// while. baselines/README.md describes the format (version 1), waivers.schema.json enforces it. Their effect:
// verdict/decide/waive.h.
#pragma once

#include <string>
#include <vector>

#include "harness/base/result.h"
#include "harness/model/results/comparison.h"

namespace harness {

// Reads and checks a waivers file: all errors at once, with file:line:column. Waivers come in the order
// of the file. Two with the same pattern and metric are an error.
Checked<std::vector<Waiver>> load_waivers(const std::string& path);
Checked<std::vector<Waiver>> parse_waivers(const std::string& text, const std::string& file);

// The JSON Schema (draft 4) as text.
std::string waivers_schema();

}  // namespace harness
