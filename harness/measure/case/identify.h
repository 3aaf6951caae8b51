// Identity of a case: what a call of it does on its device, read before anything is timed, so that the same
// work need not be measured again. And the memory that its variant takes.
#pragma once

#include "harness/measure/case/case_parts.h"

namespace harness {

// Counts the device's memory that the variant takes itself, for `peak_memory`: a second kernel of the variant
// is constructed, bound to the buffers at hand, called once and destroyed. The first kernel has loaded all
// code and libraries by then, so the figure does not hold the memory that these keep for the process.
//
// Does nothing unless the plan asks for the metric and the device tells its memory. Without room for a second
// kernel there is no figure, and the digest says so. Comes after the first check, because the call writes the
// outputs again. Comes after identify(), because on an H200 9 of 228 cases were not proven when this came
// first. The digest then holds the figure.
Step count_own_memory(CaseParts& parts, Subject& subject);

// Puts the subject's identity into its result. Also its kernels, without times, unless this process times
// them later. The first process reads an identity, and those at other places of the code
// (model/code/shifted_process.h). All others launch the same. The digest covers what the device tells
// (Profiler::launches()), the contents of the inputs, and the sizes of outputs and workspace.
// After the first call, before any placement.
Step identify(CaseParts& parts, Subject& subject);

}  // namespace harness
