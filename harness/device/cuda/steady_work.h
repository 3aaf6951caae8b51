// Steady work: rounds of calls queued ahead of the device, so that it has no pause while sensors are read.
#pragma once

#include <vector>

#include "harness/base/result.h"
#include "harness/device/cuda/timing/work_queue.h"
#include "harness/device/timer.h"

namespace harness::cuda {

// Timer::work_through() on the queue's stream, which is idle. Ends of rounds are read by events and put on
// the host's clock by the least delay with which the host saw one, some 10 us. Pauses are what lies between
// two rounds, 1 to 2 us where none waited for the host. Some 20 ms are queued ahead, and no round that would
// begin after the end.
Result<std::vector<EndedCalls>> work_through(WorkQueue& queue, const Round& round, Seconds duration);

}  // namespace harness::cuda
