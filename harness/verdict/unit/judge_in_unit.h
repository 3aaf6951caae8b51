// Judges a row whose margin is in the metric's own unit, such as 0.5 points of accuracy. Pure.
//
// Example: ten seeds with accuracies of 96.0 to 97.8 %. A change loses about 0.2 points for each seed: the
// differences by process vary little, so the row is unchanged within 0.5 points. Where all differences are
// equal there is nothing to estimate, and they are compared as numbers.
#pragma once

#include <cstddef>
#include <optional>

#include "harness/verdict/decide/evidence.h"

namespace harness {

// Fills the row's sides. Returns its evidence where something varies; otherwise the row has its verdict.
// Neither sessions nor devices add variance, because theirs is one of times. The test is the paired one where
// both sides have the same seeds, else Welch's. `reached`: looks of those that the row declares.
std::optional<Evidence> judge_in_unit(ComparisonRow& row, const Series& old, const Series& now,
                                      std::size_t reached, const Policy& policy);

// The evidence of processes that measured a regression again, where they have partners of the same seed.
std::optional<LookEvidence> weigh_again_in_unit(const ComparisonRow& row, const Series& old,
                                                const Series& now, const Policy& policy);

}  // namespace harness
