// How many blocks of a kernel fit on a multiprocessor at once, by its registers, shared memory and threads.
// Pure.
#pragma once

#include <optional>
#include <string_view>

#include "harness/model/record.h"

namespace harness {

enum class OccupancyLimit { registers, shared_memory, threads, blocks };
template <>
inline constexpr auto enum_names<OccupancyLimit> =
    names<OccupancyLimit>({{OccupancyLimit::registers, "registers"},
                           {OccupancyLimit::shared_memory, "shared_memory"},
                           {OccupancyLimit::threads, "threads"},
                           {OccupancyLimit::blocks, "blocks"}});

struct Occupancy {
  std::int64_t blocks = 0;  // a multiprocessor
  std::int64_t warps = 0;   // a multiprocessor
  OccupancyLimit limit = OccupancyLimit::threads;
};

// std::nullopt for a compute capability that the table lacks ("9.0" is one that it has), or an empty block.
std::optional<Occupancy> occupancy_of(const KernelUse& kernel, std::string_view compute_capability);

}  // namespace harness
