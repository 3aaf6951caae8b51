// Whether a case was measured as its suite asks for.
#pragma once

#include "harness/model/record.h"

namespace harness {

// The processes that a case needs to serve as a baseline. 0: it cannot, because the command line asked for
// fewer placements or samples than the suite.
int processes_needed(const CaseRecord& one);

// Processes that measured the case, without those that measured it again, alone or at other places.
int count_measured(const CaseRecord& one);

// Everything that the suite asks for is there and right.
bool is_complete(const CaseRecord& one);

}  // namespace harness
