// Counts the device's memory that a variant takes itself, for `peak_memory`. A second kernel of the variant
// is constructed, bound to the buffers at hand, called once and destroyed. The first kernel has loaded all
// code and libraries by then, so the figure does not hold the memory that these keep for the process.
#pragma once

#include "harness/measure/case/case_parts.h"

namespace harness {

// Does nothing unless the plan asks for the metric and the device tells its memory. Without room for a second
// kernel there is no figure. Comes after the first check, because the call writes the outputs again, and
// after the launches were read, because on an H200 some were missed when a library's handle had just been
// destroyed.
Step count_own_memory(CaseParts& parts, Subject& subject);

}  // namespace harness
