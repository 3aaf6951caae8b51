// The two kernels whose event times are looked at, linked in as usual and, for loading again at another
// address, as an image. Each launch enqueues on `stream` and returns; read cudaGetLastError() afterwards.
#pragma once

#include <cuda_runtime.h>

#include <cstddef>

namespace harness::offsets {

inline constexpr std::size_t gelu_elements = std::size_t{8} << 20;  // halves
inline constexpr std::size_t gelu_bytes = gelu_elements * 2;
inline constexpr unsigned gelu_block_size = 256;
inline constexpr unsigned gelu_blocks = gelu_bytes / 16 / gelu_block_size;  // 16 bytes a thread

// One thread that does nothing.
void launch_nothing(cudaStream_t stream);

// to = gelu(from) by the tanh formula, of gelu_elements halves.
void launch_gelu(cudaStream_t stream, const void* from, void* to);

}  // namespace harness::offsets
