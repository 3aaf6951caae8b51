#include "harness/device/peak_memory.h"

#include <algorithm>

namespace harness {

std::size_t peak_between(const MemoryReading& before, const MemoryReading& after) {
  const std::size_t given_back = std::max(after.pool_peak, after.pool) - after.pool;
  const std::size_t most = after.used + given_back;
  return most - std::min(most, before.used);
}

}  // namespace harness
