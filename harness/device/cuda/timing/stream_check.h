// Whether a call queues its work where it is told to, found out without running it.
#pragma once

#include <cuda_runtime.h>

#include <functional>

#include "harness/base/result.h"

namespace harness::cuda {

// Calls `work` while `home` captures: a stream that waits for the legacy default stream, so that a call which
// queues anything there breaks the capture off. So does one that waits for the device; false, too, for one
// that throws or queues nothing on `home`. What is queued on `home` is dropped; what is queued on streams
// that nothing joins to it is run. An Error where the device is lost.
Result<bool> keeps_to_stream(cudaStream_t home, const std::function<void()>& work);

}  // namespace harness::cuda
