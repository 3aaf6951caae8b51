// Whether a call queues its work on the given stream only, found out without running it.
#pragma once

#include <cuda_runtime.h>

#include "harness/base/result.h"
#include "harness/device/timer.h"

namespace harness::cuda {

// Calls `work` while `home` captures. `home` waits for the legacy default stream, so work that is queued
// there breaks the capture off; so does a call that waits for the device. False, too, for a call that throws
// or queues nothing on `home`. Work on `home` is dropped; work on streams that are not joined to it runs. An
// Error when the device is lost.
Result<bool> keeps_to_stream(cudaStream_t home, const Work& work);

}  // namespace harness::cuda
