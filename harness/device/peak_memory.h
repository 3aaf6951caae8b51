// Peak memory from what a device's driver tells before and after: pure arithmetic, so that it is tested
// without one.
#pragma once

#include <cstddef>
#include <optional>

namespace harness {

// Bytes in use on the whole device, and of these what its pool for stream-ordered allocations has reserved:
// now, and at most since the mark was reset.
struct MemoryReading {
  std::size_t used = 0;
  std::size_t pool = 0;
  std::size_t pool_peak = 0;
};

// How much more than before was in use at most: what is in use after, and what the pool gave back meanwhile.
// 0 where others gave back more than that.
std::size_t peak_between(const MemoryReading& before, const MemoryReading& after);

}  // namespace harness
