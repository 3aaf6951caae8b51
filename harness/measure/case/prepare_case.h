// Everything before a case is sampled: constructs the kernels, fills the inputs, makes the first calls,
// checks their results, and in the first process reads what a call launches. A look at launches ends here.
#pragma once

#include "harness/measure/case/case_parts.h"

namespace harness {

void prepare_case(CaseParts& parts);

}  // namespace harness
