// Waivers: a YAML file, kept in git beside the code, of regressions and undecided results that
// the team has accepted for a while. The format (version 1) is described in baselines/README.md and, for
// editors, by waivers.schema.json, which is enforced here. The effect of a waiver on a comparison:
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
