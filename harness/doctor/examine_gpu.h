// Judges a GPU, its driver and its profilers.
#pragma once

#include <vector>

#include "harness/doctor/machine_facts.h"
#include "harness/model/results/examination.h"

namespace harness {

std::vector<Observation> examine_gpu(const MachineFacts& facts);

// A clock lock of harness's: unfit when it was left behind.
Observation examine_clock_lock(const ClockLockFound& lock);

}  // namespace harness
