// Rename: a case that vanished beside one that appeared with the same parameters was probably renamed. The
// two are not compared; a diagnostic says so. Pure.
#pragma once

#include <vector>

#include "harness/model/results/comparison.h"

namespace harness {

// Adds a diagnostic to the rows of removed and new cases that are each other's nearest.
void advise_renames(std::vector<ComparisonRow>& rows, const Record& baseline, const Record& current);

}  // namespace harness
