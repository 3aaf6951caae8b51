// Hardware counters of a suite: whether they exist on the chip, how often a call is replayed to read them,
// and that they explain rather than decide.
#pragma once

#include "harness/suite/plan_options.h"
#include "harness/suite/yaml/errors.h"

namespace harness {

// Looks up the counters of each group (PlanOptions::plan_counters), because those of a case are read
// together. Fills `counter_passes` of the CUDA cases and the plan's fact on the look-up. A counter is
// informative unless the suite gates it. Unknown names are errors at their place.
void plan_counters(const Suite& suite, const PlanOptions& options, Plan& plan, ErrorList& errors);

}  // namespace harness
