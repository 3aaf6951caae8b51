// Call verdicts: from the evidence of all rows to their verdicts, together, because Holm's correction needs
// them all. Pure.
#pragma once

#include <cstddef>
#include <vector>

#include "harness/verdict/decide/evidence.h"

namespace harness {

// Decides look by look, over all evidence that decides something. Sets numbers, verdict and look of each row.
// Later looks leave a decided row alone. An informative row is judged by its own p. Returns how many rows
// were corrected together.
std::size_t call_verdicts(std::vector<ComparisonRow>& rows, std::vector<Evidence>& evidence,
                          const Policy& policy);

}  // namespace harness
