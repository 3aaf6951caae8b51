// What the probes share: random inputs that any number of threads draws alike, and the threads for that.
// Pure functions; the threads end before a call returns.
#pragma once

#include <cstdint>
#include <functional>

#include "harness/sdk/workload.h"

namespace probe {

// Calls part(first, last) for stretches that cover [0, count), at least `grain` long, each in a thread of its
// own, at most 16. Parts must not throw.
void in_parts(std::int64_t count, std::int64_t grain,
              const std::function<void(std::int64_t first, std::int64_t last)>& part);

// Fills an f32 or f16 tensor with values uniform on (-scale, scale), never exactly zero before they are
// rounded to the type. An element depends on seed, tensor number and index alone.
void fill_uniform(harness::sdk::HostTensor& tensor, std::uint64_t seed, std::uint64_t number, float scale);

}  // namespace probe
