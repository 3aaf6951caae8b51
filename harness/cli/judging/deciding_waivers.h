// The waivers that decide: those of the baseline's commit, as git has them. A change must not let itself
// pass.
#pragma once

#include "harness/base/result.h"
#include "harness/model/results/comparison.h"

namespace harness {

// Splits the policy's waivers, which were read from the tree. A waiver counts as in the baseline's commit, or
// as in the tree where that is stricter. Committed additions and wider limits of the tree are marked as
// proposed. A file outside every repository counts as it is. An error when the baseline's file cannot be
// read.
//
// The baseline's commit is where the current side forked from the named revision. Without one, or when it is
// the current commit itself, it is the commit that the baseline measured.
Status decide_waivers(Policy& policy, const RecordSource& baseline, const RecordSource& current);

}  // namespace harness
