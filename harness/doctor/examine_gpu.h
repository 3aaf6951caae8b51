// Judges a GPU, its driver and its profilers.
#pragma once

#include <vector>

#include "harness/doctor/machine_facts.h"
#include "harness/model/examination.h"

namespace harness {

std::vector<Observation> examine_gpu(const MachineFacts& facts);

}  // namespace harness
