// Chooses the cases that a campaign measures within its budget (study/case_value.h).
#pragma once

#include <map>
#include <string>
#include <vector>

#include "harness/cli/farm/campaign.h"
#include "harness/cli/farm/known_cases.h"
#include "harness/model/results/comparison.h"
#include "harness/store/store.h"

namespace harness {

// By suite: why its cases are not proven identical, by id.
using GapsBySuite = std::vector<std::map<std::string, ProofGap>>;

// Orders the cases of all suites by what they promise, and leaves those out that do not fit into the budget
// of the campaign's elements. `known`: by suite. A part of the budget is kept for further looks and
// confirmations. Returns the ids that are left out.
Result<std::vector<std::string>> keep_within_budget(Store& store, Campaign& campaign,
                                                    const std::vector<KnownCases>& known,
                                                    const GapsBySuite& gaps);

}  // namespace harness
