// Identity of a case: what a call of it does on its device, read before anything is timed, so that the same
// work need not be measured again.
#pragma once

#include "harness/measure/case/case_parts.h"

namespace harness {

// Puts the subject's identity into its result, and its kernels where the process only looks. Only the first
// process reads it; all launch the same. The digest covers what the device tells (Profiler::launches()), the
// contents of the inputs, and the sizes of outputs and workspace. After the first call, before any placement.
Step identify(CaseParts& parts, Subject& subject);

}  // namespace harness
