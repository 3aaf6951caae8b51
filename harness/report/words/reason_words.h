// Why a row has its verdict, in one sentence, and what to do where the reason itself calls for it.
#pragma once

#include <string>
#include <vector>

#include "harness/model/results/comparison.h"

namespace harness::report {

// "" where the row has no reason.
std::string reason_words(const ComparisonRow& row);

// Whether the lower bound of the harm is above the margin. The bound has the level that lets rows pass, which
// is laxer than that of calling them worse.
bool is_beyond_at_passing_level(const ComparisonRow& row);

// The same of an obstacle that the row would have met.
std::string reason_words(const ComparisonRow& row, const Obstacle& obstacle);

// All diagnostics of a row, then what its reason calls for.
std::vector<std::string> advice_words(const ComparisonRow& row);

// The action that a row's reason calls for; "" where that depends on figures of the test.
std::string remedy_words(const ComparisonRow& row);

// Why there is no proof that both sides do the same on the device.
std::string words(const ProofGap& gap);

// "driver: 580.1 -> 580.2".
std::string words(const Difference& difference);
std::string words(const MachineDifference& difference);

}  // namespace harness::report
