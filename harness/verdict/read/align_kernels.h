// Kernels of traced programs that have another name, grid or block in one record than in the other: their
// counterparts, by an alignment of the two steps. Pure.
#pragma once

#include <map>

#include "harness/model/record.h"

namespace harness {

// By the current side's case: the baseline's case that takes its place. Both are kernels of the same program,
// and neither has a case of its own name on the other side. The order of both steps is kept; kernels pair
// that have the same name, else those that are launched equally often. The others have no counterpart.
std::map<const CaseRecord*, const CaseRecord*> aligned_kernels(const Record& baseline, const Record& current);

}  // namespace harness
