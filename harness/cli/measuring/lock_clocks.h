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

// Locks as asked, and adds to `prepared.facts` what the fingerprint is to tell: the field `clock_lock`, which
// blocks comparing with results at another clock. Without being asked, warns of locks that were left behind
// on any GPU, and tells those of the GPUs at hand likewise. Undone when the result dies.
Result<std::vector<ClockLock>> lock_clocks(Prepared& prepared, const ClockOption& option);

}  // namespace harness
