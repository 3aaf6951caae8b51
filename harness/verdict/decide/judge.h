// Judge: the verdicts of all rows, why each has its verdict, and what would settle those left open. Pure.
#pragma once

#include <cstddef>
#include <vector>

#include "harness/verdict/decide/evidence.h"

namespace harness {

// Calls the verdicts (call_verdicts.h), then sets reason, smallest detectable effect and processes needed of
// each row. Returns how many rows were corrected together.
std::size_t judge(std::vector<ComparisonRow>& rows, std::vector<Evidence>& evidence, const Policy& policy);

}  // namespace harness
