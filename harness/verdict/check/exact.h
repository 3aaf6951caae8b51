// Exact: metrics without any variance (bytes, sizes, errors with a fixed seed) are compared as numbers. A
// t-test has nothing to estimate, and the spread between sessions is one of times. Pure.
#pragma once

#include "harness/verdict/read/side.h"

namespace harness {

// Whether every sample of each side has the same value, which is not negative, of a metric that is no time. A
// time that never varies has a coarse clock, and is tested.
bool is_exact(const ComparisonRow& row, const SideReading& baseline, const SideReading& current);

// Fills the row: sides, ratio, verdict, reason. Worse by more than the margin m of the baseline's value is
// regressed, better by more is improved, else unchanged. With m = 0 any change counts. A change from 0 has no
// ratio and is beyond every margin. With too few processes to show that the metric does not vary, the row is
// inconclusive.
void judge_exactly(ComparisonRow& row, const SideReading& baseline, const SideReading& current,
                   const Policy& policy);

}  // namespace harness
