// The kernels of a referee's GPU, behind plain functions; see gpu_kernels.h. The lists lie in the GPU's
// memory.
#pragma once

#include <cuda_runtime.h>

#include <cstddef>
#include <cstdint>

#include "harness/device/sides/sides.h"

namespace harness::cuda {

// Makes all writes, in no order.
void launch_writes(cudaStream_t stream, const SharedWrite* writes, std::size_t count);

// Reads each element into 8 bytes of its own.
void launch_reads(cudaStream_t stream, const SharedRead* reads, std::size_t count, std::uint64_t* to);

}  // namespace harness::cuda
