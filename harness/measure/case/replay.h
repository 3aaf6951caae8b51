// Replay: the calls of a case for a profiler or debugger: in this process, under named ranges, without
// events, gate, samples or checks. One thread uses it.
#pragma once

#include <vector>

#include "harness/base/result.h"
#include "harness/catalog/catalog.h"
#include "harness/device/device.h"
#include "harness/model/plan.h"

namespace harness {

struct Replayed {
  std::optional<Cause> skipped = {};  // why the case cannot run here
  int calls = 0;                      // after the first
};

// Constructs the kernel, fills and uploads its inputs, then makes the first call and as many more as
// `warmup` says, at least one; each waits for the device. With a cold cache nothing is evicted: a profiler
// has settings of its own for that. An Error when the device or the case fails.
Result<Replayed> replay_case(Device& device, const Catalog& catalog, const PlannedCase& planned);

}  // namespace harness
