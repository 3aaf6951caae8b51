#include "kernels/allocator/cuda_memory.cuh"

namespace allocator {
using MallocAsyncReplay = ReplayVariant<CudaMallocAsync<false>, CudaStamps>;
}

HARNESS_VARIANT(allocator, malloc_async, cuda, "cudaMallocAsync; its pool keeps nothing over a wait",
                allocator::MallocAsyncReplay)
