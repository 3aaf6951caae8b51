// How the launches of a traced program differ between two sides that are not proven identical. Pure.
#pragma once

#include "harness/model/fact.h"
#include "harness/model/record.h"

namespace harness {

// Figures of ProofGapCode::other_launches: the first kernel of the current step that differs, then one that
// is gone. None for other cases. A kernel's own case tells of that kernel, or of the step around it.
Figures launch_change(const CaseRecord& baseline, const CaseRecord& current);

}  // namespace harness
