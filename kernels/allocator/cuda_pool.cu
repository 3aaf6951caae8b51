#include "kernels/allocator/cuda_memory.cuh"

namespace allocator {
using PoolReplay = ReplayVariant<CudaPool, CudaStamps>;
}

HARNESS_VARIANT(allocator, pool, cuda, "a caching pool over cudaMalloc", allocator::PoolReplay)
