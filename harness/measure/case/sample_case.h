// Samples a case: one placement after the other, each with new buffers, preheating, warm-up and samples.
#pragma once

#include "harness/measure/case/case_parts.h"

namespace harness {

// After prepare_case(). Stops early when no subject is left in.
void sample_case(CaseParts& parts);

}  // namespace harness
