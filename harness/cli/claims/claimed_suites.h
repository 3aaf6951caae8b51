// The suites that hold claims, and their claims checked with a record.
#pragma once

#include <string>
#include <vector>

#include "harness/model/results/checked_claim.h"
#include "harness/suite/load_suite.h"

namespace harness {

inline constexpr double claim_confidence = 0.99;  // as in other reports of one record

// The suites of these files that hold claims. A file that is named twice counts once.
Checked<std::vector<Suite>> claimed_suites(const std::vector<std::string>& files);

// Adds the suite's claims to the report. `record` is null where the suite has none.
void add_checked(ClaimsReport& report, const Suite& suite, const Record* record);

}  // namespace harness
