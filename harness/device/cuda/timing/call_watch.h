// CallWatch: how much time passes around an audited call, by a clock that the call cannot change and until
// all work on the device has ended. The launch and the waiting are taken off, because the timed call has
// neither. One thread uses it, for one call.
#pragma once

#include <cuda_runtime.h>

#include "harness/base/result.h"
#include "harness/base/units.h"

namespace harness::cuda {

class CallWatch {
 public:
  // Waits for an empty kernel first: as long as that takes, a call without work would take. `event` is free
  // for use until the call is queued.
  static Result<CallWatch> begin(cudaStream_t stream, cudaEvent_t event);

  // The host has queued the call.
  void queued();
  // Waits for all streams. `elapsed`: the call's time by events, which holds as much of the launch as the
  // device waited for. At least 0.
  Result<Seconds> passed(Seconds elapsed);

 private:
  Seconds waiting_ = 0;  // of the empty kernel
  Seconds began_ = 0;
  Seconds queued_ = 0;
};

}  // namespace harness::cuda
