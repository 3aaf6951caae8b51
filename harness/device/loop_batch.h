// LoopBatch: a batch on a device without a queue to record. Its calls are made in a loop each time.
#pragma once

#include <memory>

#include "harness/device/timer.h"

namespace harness {

// Makes the calls of a batch on memory of the host. `watched`: null where none is.
void make_calls(const NumberedWork& work, int calls, sdk::Stream stream, const WatchedCall* watched);

std::unique_ptr<Batch> loop_batch(Timer& timer, int calls, NumberedWork work);

}  // namespace harness
