// The audit of a case: it writes other inputs into the same buffers right before a sample, and verifies the
// outputs. The times of such samples are compared with those of the others, and not kept.
#pragma once

#include "harness/measure/case/case_parts.h"

namespace harness {

// Audits a subject in the placement at hand, and writes the usual inputs again. It is incorrect where an
// output is wrong, and where only audited calls take the time that its work takes.
Step audit(CaseParts& parts, Subject& subject, int placement);

}  // namespace harness
