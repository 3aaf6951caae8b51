// Zeros: a metric that is no time may be 0, such as an error or a count. A 0 has no logarithm and no finite
// ratio, so these pairs are judged before the test of ratios. Pure.
#pragma once

#include "harness/verdict/read/side.h"

namespace harness {

// Whether a sample of either side is 0 and none is worse than that: negative, not finite, a time of 0.
bool holds_zeros(const SideReading& baseline, const SideReading& current);

// Judges a row without a ratio and returns true. A side with only zeros against one without any is regressed
// or improved, beyond every margin. Zeros beside other values are inconclusive. Returns false where all
// processes are above 0: readings and sides then hold arithmetic means for the usual test.
bool judge_zeros(ComparisonRow& row, const Series& old, const Series& now, SideReading& baseline,
                 SideReading& current, const Policy& policy);

}  // namespace harness
