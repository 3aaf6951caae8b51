// Words of claims.
#pragma once

#include <string>

#include "harness/model/results/checked_claim.h"

namespace harness::report {

// "at least 15.2x", "-47 % or less", "1.5x to 2x".
std::string claimed_range(const Claim& claim);
// "1.47x [1.45x, 1.49x]"; "" without a figure.
std::string claimed_figure(ClaimFigure figure, const std::string& unit, const std::optional<double>& value,
                           const std::optional<Interval>& interval);
// Why there is no answer; "" for none.
std::string words(ClaimGap gap);
// A speedup by its lower bound: "excellent" above 1.5, "good" above 1.2, "measured" above 1, else
// "investigate".
std::string rating_of(const Interval& speedup);

}  // namespace harness::report
