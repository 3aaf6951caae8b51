// Compresses a dense W in the timed call, in the order of compressed.h. A block of threads makes a block of
// W: a thread reads 16 of k of two rows and writes their kept values and its own word of places.
#pragma once

#include "kernels/gemm/tiles.cuh"
#include "kernels/sparse_gemm/compressed.h"

namespace sparse_gemm {

inline constexpr int compress_threads = 256;

// Grid: blocks along k, blocks along n. k is a multiple of 8.
__global__ void __launch_bounds__(compress_threads)
    compress_kernel(const std::uint16_t* w, unsigned char* to, int n, int k) {
  const int thread = static_cast<int>(threadIdx.x);
  const int lane = thread % 32;
  const int line = thread % 128 / 32 * 16 + lane / 4;  // of the upper row in its half of the block
  const int half = thread / 128;
  const int column = static_cast<int>(blockIdx.x) * block_depth + lane % 4 * 16;
  unsigned char* const block =
      to + (static_cast<std::int64_t>(blockIdx.y) * gridDim.x + blockIdx.x) * block_bytes;
  std::uint32_t word = 0;
  KERNEL_UNROLL
  for (int below = 0; below < 2; ++below) {
    const int row = static_cast<int>(blockIdx.y) * block_rows + half * 64 + line + below * 8;
    gemm::Piece kept;
    KERNEL_UNROLL
    for (int piece = 0; piece < 2; ++piece) {
      gemm::Piece eight = {};
      const int first = column + piece * 8;
      if (row < n && first < k)
        eight = *reinterpret_cast<const gemm::Piece*>(w + static_cast<std::int64_t>(row) * k + first);
      KERNEL_UNROLL
      for (int group = 0; group < 2; ++group) {
        const std::uint32_t low = eight.words[group * 2];
        const std::uint32_t high = eight.words[group * 2 + 1];
        const std::uint32_t places = places_of(low, high);
        word |= places << (below * 16 + piece * 8 + group * 4);
        kept.words[piece * 2 + group] = half_of(low, high, places & 3U) |
                                        static_cast<std::uint32_t>(half_of(low, high, places >> 2)) << 16;
      }
    }
    *reinterpret_cast<gemm::Piece*>(block + (line + below * 8) * 128 + half * 64 + lane % 4 * 16) = kept;
  }
  *reinterpret_cast<std::uint32_t*>(block + value_bytes + thread * 4) = word;
}

}  // namespace sparse_gemm
