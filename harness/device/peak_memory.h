// Peak memory from a driver's figures before and after. Pure.
#pragma once

#include <cstddef>

namespace harness {

// Bytes in use on the whole device, and of its pool for stream-ordered allocations: the bytes that the pool
// has reserved, those of its allocations now, and at most since the mark was reset.
struct MemoryReading {
  std::size_t used = 0;
  std::size_t pool_reserved = 0;
  std::size_t pool_used = 0;
  std::size_t pool_peak = 0;
};

// Outside the pool, the driver takes blocks of 2 MiB, and small allocations share them. How many new blocks
// the same work needs depends on what was allocated before, so bytes there are rounded to this.
inline constexpr std::size_t outside_step = std::size_t{16} << 20U;

// The bytes in use outside the pool after, beyond those before, rounded, and the pool's peak beyond its
// allocations before. The pool reserves blocks ahead, which do not count. Each part is at least 0.
std::size_t peak_between(const MemoryReading& before, const MemoryReading& after);

}  // namespace harness
