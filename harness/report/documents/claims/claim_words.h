// Words of claims.
#pragma once

#include <string>

#include "harness/model/results/checked_claim.h"

namespace harness::report {

// "15.2x or more", "-47 % or less", "-0.5 to +0.5 points".
std::string claimed_range(const Claim& claim, const std::string& unit);
// "1.47x [1.45x, 1.49x]"; "" without a figure.
std::string claimed_figure(ClaimFigure kind, const std::string& unit, const std::optional<double>& value,
                           const std::optional<Interval>& interval);
// "the best of 15 cases, gelu/fused/n=2"; "" of one case.
std::string claimed_scope(const CheckedClaim& one);
// Why there is no answer; "" for none.
std::string words(ClaimGap gap);
// A speedup by its lower bound: "excellent" above 1.5, "good" above 1.2, "measured" above 1, else
// "investigate".
std::string rating_of(const Interval& speedup);

}  // namespace harness::report
