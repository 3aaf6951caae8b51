// Everything before a case is sampled: constructs the kernels, fills the inputs, makes the first calls and
// checks their results.
#pragma once

#include "harness/measure/case/case_parts.h"

namespace harness {

void prepare_case(CaseParts& parts);

}  // namespace harness
