// Shared by the probes: random inputs that any number of threads draws alike. A pure function; its threads
// end before it returns.
#pragma once

#include <cstdint>

#include "harness/sdk/workload.h"

namespace probe {

// Fills an f32 or f16 tensor with values uniform on (-scale, scale), never exactly zero before they are
// rounded to the type. An element depends on seed, tensor number and index alone.
void fill_uniform(harness::sdk::HostTensor& tensor, std::uint64_t seed, std::uint64_t number, float scale);

}  // namespace probe
