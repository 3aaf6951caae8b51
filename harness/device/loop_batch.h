// LoopBatch: a batch on a device without a queue to record. Its calls are made in a loop each time.
#pragma once

#include <memory>

#include "harness/device/timer.h"

namespace harness {

std::unique_ptr<Batch> loop_batch(Timer& timer, int calls, NumberedWork work);

}  // namespace harness
