// --require-gpu: a CUDA case that cannot run is an error, not a skip.
#pragma once

#include "harness/cli/measuring/prepare.h"

namespace harness {

// Before measuring: whether every CUDA case of the plan can run here.
Status check_gpu_can_be_used(const Prepared& prepared);

// After measuring: whether every CUDA case ran.
Status check_gpu_was_used(const Record& record);

}  // namespace harness
