// --profile: run the cases for a profiler instead of measuring them.
#pragma once

#include "harness/cli/measuring/prepare.h"

namespace harness {

// Replays every case of the plan in this very process, which is what nsys, ncu, compute-sanitizer and
// cuda-gdb want to see, and says which. Nothing is measured or stored. Returns the exit status.
int replay_for_profiler(const Prepared& prepared);

}  // namespace harness
