// --profile: run the cases for a profiler instead of measuring them.
#pragma once

#include "harness/cli/measuring/prepare.h"

namespace harness {

// Replays every case of the plan in this process, for nsys, ncu, compute-sanitizer and cuda-gdb, and says
// which. Measures and stores nothing. Returns the exit status.
int replay_for_profiler(const Prepared& prepared);

}  // namespace harness
