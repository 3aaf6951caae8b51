#include "kernels/allocator/cuda_memory.cuh"

namespace allocator {
using MallocReplay = ReplayVariant<CudaMalloc, CudaStamps>;
}

HARNESS_VARIANT(allocator, malloc, cuda, "cudaMalloc and cudaFree", allocator::MallocReplay)
