// The claims of a suite, checked with a record of it. Pure.
#pragma once

#include <vector>

#include "harness/model/results/checked_claim.h"

namespace harness {

// Cases are paired by what the `*` of both filters stand for. A filter `against` without a `*` names one case
// for all. The interval of a ratio is Welch's on the logs of one value a process; that of a value is
// Student's. A difference is Student's of the differences by process, because processes of one number have
// one seed; else Welch's. Over several cases the geometric mean (of differences the arithmetic one) takes the
// means of the lower and of the upper bounds, which assumes fully correlated errors, the widest case.
std::vector<CheckedClaim> check_claims(const std::vector<Claim>& claims, const Record& record,
                                       double confidence);

}  // namespace harness
