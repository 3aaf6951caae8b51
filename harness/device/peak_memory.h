// Peak memory from a driver's figures before and after. Pure.
#pragma once

#include <cstddef>
#include <optional>

namespace harness {

// Bytes in use on the whole device, and the part of them that its pool for stream-ordered allocations has
// reserved: now, and at most since the mark was reset.
struct MemoryReading {
  std::size_t used = 0;
  std::size_t pool = 0;
  std::size_t pool_peak = 0;
};

// The most bytes in use, beyond those before: those in use after, and those that the pool gave back
// meanwhile. 0 when other processes gave back more.
std::size_t peak_between(const MemoryReading& before, const MemoryReading& after);

}  // namespace harness
