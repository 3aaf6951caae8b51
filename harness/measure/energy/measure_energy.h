// The energy and the sustained time of a case. After all samples its calls follow each other without a pause
// for two and a half seconds, while the device's counter of energy is read.
#pragma once

#include "harness/measure/case/case_parts.h"

namespace harness {

// After sample_case(), with its last buffers and batches, where the case asks for `energy` or
// `sustained_time`. Its findings, or why there is none, are in each subject and its notes. Calls find the
// cache as the calls before have left it: with `cache: cold` they are cold in batches alone, or a note says
// so.
void measure_energy(CaseParts& parts);

}  // namespace harness
