// Order: the rows of a comparison, worst first. Pure.
#pragma once

#include <vector>

#include "harness/model/results/comparison.h"

namespace harness {

// current over baseline, as the verdict has it: over the places of the code where these made the row red.
double deciding_ratio(const ComparisonRow& row);

// Failed, regressed, missing, not comparable, inconclusive, improved, environment, not worse, unchanged,
// identical, skipped; within each by harm (improvements by size), then by name. Rows that decide come before
// those that do not.
void sort_worst_first(std::vector<ComparisonRow>& rows);

}  // namespace harness
