// The waivers that decide: those of the baseline's commit, as git has them. A change must not let itself
// pass.
#pragma once

#include "harness/base/result.h"
#include "harness/model/results/comparison.h"

namespace harness {

// Splits the policy's waivers, which were read from the tree. A waiver counts as the baseline's commit has
// it, or as the tree has it where that is stricter. Additions and wider limits of the tree are marked as
// proposed, as far as they are committed. A file outside every repository counts as it is. An error when the
// baseline's file cannot be read.
//
// The baseline's commit is where the current side forked from the revision that the user named. Where the
// user named no revision, or the current commit itself, it is the commit that the baseline measured.
Status decide_waivers(Policy& policy, const RecordSource& baseline, const RecordSource& current);

}  // namespace harness
