#include "kernels/allocator/cuda_memory.cuh"

namespace allocator {
using MallocAsyncKeptReplay = ReplayVariant<CudaMallocAsync<true>, CudaStamps>;
}

HARNESS_VARIANT(allocator, malloc_async_kept, cuda, "cudaMallocAsync; its pool keeps all memory",
                allocator::MallocAsyncKeptReplay)
