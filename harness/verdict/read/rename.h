// Rename: a case that vanished beside one that appeared with the same parameters was probably renamed.
// The two are never compared, only the reader is told. Pure.
#pragma once

#include <vector>

#include "harness/model/comparison.h"

namespace harness {

// Adds advice to the rows of removed and new cases that are each other's nearest.
void advise_renames(std::vector<ComparisonRow>& rows, const Record& baseline, const Record& current);

}  // namespace harness
