#include "harness/verdict/cause/occupancy.h"

#include <algorithm>
#include <array>

namespace harness {
namespace {

// "Technical specifications per compute capability", CUDA C++ Programming Guide 13.0.
struct Limits {
  std::string_view capability;
  std::int64_t threads, blocks, shared_bytes;  // a multiprocessor
  std::int64_t shared_unit, reserved;  // of a block's shared memory: rounding, and what the system takes
};
constexpr auto all_limits = std::to_array<Limits>({{"7.0", 2048, 32, 96 * 1024, 256, 0},
                                                   {"7.5", 1024, 16, 64 * 1024, 256, 0},
                                                   {"8.0", 2048, 32, 164 * 1024, 128, 1024},
                                                   {"8.6", 1536, 16, 100 * 1024, 128, 1024},
                                                   {"8.7", 1536, 16, 164 * 1024, 128, 1024},
                                                   {"8.9", 1536, 24, 100 * 1024, 128, 1024},
                                                   {"9.0", 2048, 32, 228 * 1024, 128, 1024},
                                                   {"10.0", 2048, 32, 228 * 1024, 128, 1024},
                                                   {"10.3", 2048, 32, 228 * 1024, 128, 1024},
                                                   {"12.0", 1536, 24, 100 * 1024, 128, 1024},
                                                   {"12.1", 1536, 24, 100 * 1024, 128, 1024}});
constexpr std::int64_t all_registers = 64 * 1024;  // a multiprocessor, of all of these
constexpr std::int64_t register_unit = 256;        // a warp's registers are rounded up to it
constexpr std::int64_t warp = 32;
constexpr std::int64_t partitions = 4;  // of a multiprocessor, each with its own registers

std::int64_t rounded_up(std::int64_t value, std::int64_t unit) {
  return (value + unit - 1) / unit * unit;
}

}  // namespace

std::optional<Occupancy> occupancy_of(const KernelUse& kernel, std::string_view compute_capability) {
  const auto* const limits = std::find_if(all_limits.begin(), all_limits.end(), [&](const Limits& one) {
    return one.capability == compute_capability;
  });
  const std::int64_t threads = kernel.block[0] * kernel.block[1] * kernel.block[2];
  if (limits == all_limits.end() || threads <= 0) return std::nullopt;
  const std::int64_t warps = rounded_up(threads, warp) / warp;
  Occupancy found{limits->blocks, 0, OccupancyLimit::blocks};
  const auto limit = [&](std::int64_t blocks, OccupancyLimit by) {
    if (blocks < found.blocks) found = {blocks, 0, by};
  };
  limit(limits->threads / (warps * warp), OccupancyLimit::threads);
  if (kernel.registers > 0) {
    const std::int64_t of_warp = rounded_up(kernel.registers * warp, register_unit);
    limit(all_registers / partitions / of_warp * partitions / warps, OccupancyLimit::registers);
  }
  const std::int64_t shared = rounded_up(
      kernel.static_shared_bytes + kernel.dynamic_shared_bytes + limits->reserved, limits->shared_unit);
  if (shared > 0) limit(limits->shared_bytes / shared, OccupancyLimit::shared_memory);
  found.warps = found.blocks * warps;
  return found;
}

}  // namespace harness
