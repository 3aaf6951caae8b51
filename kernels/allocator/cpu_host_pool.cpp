#include "kernels/allocator/host_memory.h"

namespace allocator {
using HostPoolReplay = ReplayVariant<HostPool, HostStamps>;
}

HARNESS_VARIANT(allocator, host_pool, cpu, "a caching pool over host memory", allocator::HostPoolReplay)
