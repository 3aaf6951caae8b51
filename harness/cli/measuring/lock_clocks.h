// --lock-clocks: the GPUs that a run measures on hold one SM clock meanwhile: see device/host/clock_lock.h.
// And what an earlier run left locked, which every run notices.
#pragma once

#include <string>
#include <vector>

#include "harness/base/result.h"
#include "harness/cli/measuring/prepare.h"
#include "harness/cli/options/clock_option.h"
#include "harness/device/host/clock_lock.h"

namespace harness {

// Locks as asked, and adds the fingerprint's field `clock_lock` to `prepared.facts`; it blocks comparing with
// results at another clock. Else warns of abandoned locks on any GPU, and adds the field for those of the
// GPUs at hand. Undone when the result dies.
Result<std::vector<ClockLock>> lock_clocks(Prepared& prepared, const ClockOption& option);

}  // namespace harness
