// Rounding a matrix to FP8 with one scale, as it lies and transposed: products of FP8 run over neighbouring
// elements of both operands, and the backward pass runs over other extents than the forward pass.
#pragma once

#include "kernels/training/eight.cuh"

namespace training {

// A matrix as an array of BF16 or float32 has it, eight elements at a time. Other sources compute them.
template <class Element>
struct StoredMatrix {
  const Element* x = nullptr;
  std::int64_t columns = 0;

  [[nodiscard]] KERNEL_DEVICE Eight eight(int row, int column) const {
    return load_eight(x + row * columns + column);
  }
};

inline constexpr int tile = 64;  // rows and columns of a block
struct CodeTile {
  std::uint8_t codes[tile][tile + 4];
};

// The largest magnitude, as bits of a float. A grid of any size.
template <class Element>
__global__ void __launch_bounds__(threads_a_block)
    largest_kernel(const Element* x, std::int64_t count, std::uint32_t* bits) {
  KERNEL_SHARED(OfWarps, parts);
  float largest = 0;
  for (std::int64_t i = first_of_grid(); i < count; i += step_of_grid())
    largest = fmaxf(largest, largest_of(load_eight(x + i)));
  tell_largest(largest, bits, parts);
}

KERNEL_DEVICE uint2 pack_codes(const std::uint8_t* codes) {
  std::uint32_t words[2] = {};
  KERNEL_UNROLL
  for (int i = 0; i < 8; ++i) words[i / 4] |= static_cast<std::uint32_t>(codes[i]) << (i % 4 * 8);
  return make_uint2(words[0], words[1]);
}

// codes (null: not wanted) is rows x columns, transposed columns x rows; both extents are multiples of 8. The
// scale follows from `bits`. `next` (null: not wanted) gets the largest magnitude of the matrix itself. Grid:
// columns, then rows, in tiles.
template <class Matrix, class Code>
__global__ void __launch_bounds__(threads_a_block)
    quantise_kernel(Matrix matrix, int rows, int columns, const std::uint32_t* bits, std::uint32_t* next,
                    float* scale, std::uint8_t* codes, std::uint8_t* transposed) {
  KERNEL_SHARED(CodeTile, shared);
  KERNEL_SHARED(OfWarps, parts);
  const float of_scale = __uint_as_float(*bits);
  const float factor = of_scale > 0 ? Code::largest / of_scale : 1.0F;
  if (blockIdx.x == 0 && blockIdx.y == 0 && threadIdx.x == 0) *scale = 1.0F / factor;
  const int lane = static_cast<int>(threadIdx.x) % 8 * 8, line = static_cast<int>(threadIdx.x) / 8;
  float largest = 0;
  KERNEL_UNROLL
  for (int half = 0; half < 2; ++half) {
    const int in_tile = line + half * (tile / 2);
    const int row = static_cast<int>(blockIdx.y) * tile + in_tile;
    const int column = static_cast<int>(blockIdx.x) * tile + lane;
    if (row >= rows || column >= columns) continue;
    const Eight eight = matrix.eight(row, column);
    if (next != nullptr) largest = fmaxf(largest, largest_of(eight));
    std::uint8_t mine[8];
    KERNEL_UNROLL
    for (int e = 0; e < 8; ++e) {
      mine[e] = Code::narrow(eight.values[e] * factor);
      shared.codes[in_tile][lane + e] = mine[e];
    }
    if (codes != nullptr)
      *reinterpret_cast<uint2*>(codes + static_cast<std::int64_t>(row) * columns + column) = pack_codes(mine);
  }
  tell_largest(largest, next, parts);
  __syncthreads();
  KERNEL_UNROLL
  for (int half = 0; half < 2; ++half) {
    const int in_tile = line + half * (tile / 2);
    const int row = static_cast<int>(blockIdx.x) * tile + in_tile;  // of the transposed matrix
    const int column = static_cast<int>(blockIdx.y) * tile + lane;
    if (row >= columns || column >= rows) continue;
    std::uint8_t mine[8];
    KERNEL_UNROLL
    for (int e = 0; e < 8; ++e) mine[e] = shared.codes[lane + e][in_tile];
    *reinterpret_cast<uint2*>(transposed + static_cast<std::int64_t>(row) * rows + column) = pack_codes(mine);
  }
}

// One block: the largest magnitudes of a step scale the next one.
__global__ void __launch_bounds__(threads_a_block)
    take_largest_kernel(std::uint32_t* used, std::uint32_t* next, int count) {
  for (int i = static_cast<int>(threadIdx.x); i < count; i += threads_a_block) {
    used[i] = next[i];
    next[i] = 0;
  }
}

}  // namespace training
