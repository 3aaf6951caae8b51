// Comparing two large record files, whose cases are read part by part.
#pragma once

#include <functional>
#include <optional>
#include <string>

#include "harness/cli/judging/judge_by_baseline.h"

namespace harness {

// The policy that decides about a side without its cases; std::nullopt where it is refused.
using PolicyOfSide = std::function<std::optional<Policy>(const Record& current)>;

// Two named files and what comparing them told; their records are without cases. std::nullopt where the files
// are small, wrong or unusual: judging the whole records tells.
std::optional<ComparedSides> compare_files(const std::string& baseline, const std::string& current,
                                           const SelectOptions& select, const PolicyOfSide& policy_of);

}  // namespace harness
