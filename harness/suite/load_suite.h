// Reading suites. harness/suite/suite.schema.json is enforced. Reading is bounded: at most 8 MiB, 64 levels,
// and a limited number of nodes after aliases, so that a hostile file is an error and not a hang.
#pragma once

#include <string>
#include <vector>

#include "harness/suite/suite.h"

namespace harness {

// Reads and checks a suite against the schema. All errors at once, with file:line:column.
Checked<Suite> load_suite(const std::string& path);
Checked<Suite> parse_suite(const std::string& text, const std::string& file);

// The suite's modules as absolute paths, in its order: what the catalog must load before make_plan().
std::vector<std::string> module_paths(const Suite& suite);

}  // namespace harness
