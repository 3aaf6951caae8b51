// How what an observed program found differs between two sides that are not proven identical. Pure.
#pragma once

#include "harness/model/fact.h"
#include "harness/model/record.h"

namespace harness {

// Figures of ProofGapCode::other_files: the first difference in the order of FileChange. None for a benchmark
// in the output of a program, whose own case has the list.
Figures file_change(const CaseRecord& baseline, const CaseRecord& current);

}  // namespace harness
