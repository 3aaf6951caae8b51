#include "kernels/allocator/host_memory.h"

namespace allocator {
using HostMallocReplay = ReplayVariant<HostMalloc, HostStamps>;
}

HARNESS_VARIANT(allocator, host_malloc, cpu, "malloc and free of the C library", allocator::HostMallocReplay)
