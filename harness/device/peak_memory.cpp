#include "harness/device/peak_memory.h"

#include <algorithm>

namespace harness {
namespace {

std::size_t beyond(std::size_t now, std::size_t before) {
  return now - std::min(now, before);
}

std::size_t rounded(std::size_t bytes) {
  return (bytes + outside_step / 2) / outside_step * outside_step;
}

std::size_t outside_the_pool(const MemoryReading& reading) {
  return beyond(reading.used, reading.pool_reserved);
}

}  // namespace

std::size_t peak_between(const MemoryReading& before, const MemoryReading& after) {
  return rounded(beyond(outside_the_pool(after), outside_the_pool(before))) +
         beyond(std::max(after.pool_peak, after.pool_used), before.pool_used);
}

}  // namespace harness
