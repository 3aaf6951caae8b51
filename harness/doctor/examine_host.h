// Judges a host: its CPUs, memory and control group.
#pragma once

#include <vector>

#include "harness/device/host/host_state.h"
#include "harness/model/results/examination.h"

namespace harness {

// `for_cpu_cases`: the CPU itself is measured, so more things disturb.
std::vector<Observation> examine_host(const HostState& host, bool for_cpu_cases);

}  // namespace harness
