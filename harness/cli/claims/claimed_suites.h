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

// The same, where the claims of the commit `base` decide. A claim that the change words, ranges or gates in
// another way, or deletes, counts as it was; a new one counts as it is. Tells on standard error of those that
// do not count.
Checked<std::vector<Suite>> claimed_suites(const std::vector<std::string>& files, const std::string& base);

// Adds the suite's claims to the report. `record` is null where the suite has none.
void add_checked(ClaimsReport& report, const Suite& suite, const Record* record);

}  // namespace harness
