// The reading of a call that does nothing, for a case that is hardly longer or that was timed in batches.
// Pure.
#pragma once

#include <optional>

#include "harness/model/record.h"
#include "harness/model/results/findings.h"

namespace harness {

// The medians of the processes' controls, and whether to advise batches, because events are most of a single
// call's time. No advice where it was `advised` already. `center_us`: the time of the case. std::nullopt
// without a control, or where it is small beside a single call.
std::optional<Diagnostic> control_diagnostic(const CaseRecord& record, double center_us,
                                             bool advised = false);

}  // namespace harness
