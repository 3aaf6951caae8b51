// Expansion of a group's points: names and values checked against the workload's parameters, then the
// product of axes and zipped points, each completed by the workload's fallbacks.
#pragma once

#include <string>
#include <vector>

#include "harness/suite/plan/target.h"
#include "harness/suite/yaml/errors.h"

namespace harness {

inline constexpr std::size_t most_cases = 100'000;  // of one suite

// A complete point, modes at its end where the suite varies them, and the place in the suite that it comes
// from.
struct ExpandedPoint {
  sdk::Params params;
  Location where;
};

// Checks names and values, and gives each value the kind of its parameter (an integer where a real is
// expected becomes one). False, with errors, when a name is unknown, or a value of another kind, no choice or
// too small.
bool check_points(const Target& target, Points& points, ErrorList& errors);

// Likewise for a point that selects cases (`exclude`, `match`), which may also name "variant" and "device",
// and `tuned` as the value of a parameter.
bool check_selector(const Target& target, Point& selector, ErrorList& errors);

// True when the case has every value that a checked selector names.
bool selects(const Point& selector, const sdk::Params& params, const std::string& variant,
             const std::string& device);

// All points of checked ones but for `exclude`, which needs the variant. `where` is the group's place. Empty,
// with errors, when a value is missing or there are too many.
std::vector<ExpandedPoint> expand_points(const Target& target, const Points& points, const Location& where,
                                         ErrorList& errors);

}  // namespace harness
