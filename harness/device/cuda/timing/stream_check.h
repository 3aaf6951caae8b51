// Whether a call queues its work on the given stream only, found out without running it.
#pragma once

#include <cuda_runtime.h>

#include "harness/base/result.h"
#include "harness/device/timer.h"

namespace harness::cuda {

// Calls `work` while `home` captures. False when the capture breaks off: work on the legacy default stream
// (`home` waits for it), a call that waits for the device, an exception, or nothing on `home`. Work on `home`
// is dropped; work on streams that are not joined to it runs. An Error when the device is lost.
Result<bool> keeps_to_stream(cudaStream_t home, const Work& work);

}  // namespace harness::cuda
