// The values that `tune` tries at a point.
#pragma once

#include <string>
#include <vector>

#include "harness/suite/plan/expand.h"
#include "harness/suite/plan_options.h"

namespace harness {

// Gives checked points the first value of each axis that is tuned: the fixed ones.
void fix_tuned(Points& points);

// Every combination of the values of `tune`, the fixed ones first, the last axis fastest. Empty without axes,
// and with an error where there are more than a suite has cases.
std::vector<sdk::Params> tuned_values(const Points& points, ErrorList& errors);

// The same parameters, with `tuned` for each of these.
sdk::Params named_tuned(sdk::Params params, const sdk::Params& values);

// The id of the tuned case that an arm belongs to.
std::string tuned_id(const PlannedCase& arm);

// Drops the arms of points that the options do not select by the ids of their tuned cases.
void select_points(Plan& plan, const PlanOptions& options, ErrorList& errors);

}  // namespace harness
