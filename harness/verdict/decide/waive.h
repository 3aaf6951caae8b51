// Waive: applies the policy's waivers to a comparison. A waiver covers a regression, and an undecided result
// where it says so. The whole interval of the change must stay at or below its ceiling, and its last day must
// not have passed. A waiver that the change proposes counts only where the policy accepts that. Format:
// baselines/README.md. Pure.
#pragma once

#include <string>

#include "harness/model/results/comparison.h"

namespace harness {

inline constexpr int soon_days = 14;  // before the end of a waiver its use carries advice

// Sets `waiver` of the rows that are covered, adds a diagnostic to the others, and fills
// `comparison.waivers`. `partial`: the current record leaves out cases of the suite, so that a pattern
// which matches none is no news.
void apply_waivers(Comparison& comparison, bool partial);

}  // namespace harness
