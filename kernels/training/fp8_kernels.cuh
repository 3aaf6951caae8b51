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

inline constexpr int tile = 128;  // rows and columns of a block
// The codes of a tile, transposed: a line has 16 codes a piece. Piece p of line c lies in place p ^ c / 16,
// so that the threads of a warp write to 32 different banks.
struct CodeTile {
  uint4 pieces[tile][tile / 16];
};

// The largest magnitude, as bits of a float. A grid of any size; a multiprocessor holds eight blocks. A
// thread has four loads on their way, and those of a warp fill whole lines.
template <class Element>
__global__ void __launch_bounds__(threads_a_block, 8)
    largest_kernel(const Element* x, std::int64_t count, std::uint32_t* bits) {
  KERNEL_SHARED(OfWarps, parts);
  constexpr int width = 16 / static_cast<int>(sizeof(Element)), loads = 4;
  const std::int64_t step = step_of_grid() / 8 * width;
  float largest = 0;
  for (std::int64_t i = first_of_grid() / 8 * width; i < count; i += loads * step) {
    uint4 pieces[loads] = {};
    KERNEL_UNROLL
    for (int p = 0; p < loads; ++p)
      if (i + p * step < count) pieces[p] = load_piece(x + i + p * step);
    KERNEL_UNROLL
    for (const uint4& piece : pieces) largest = fmaxf(largest, largest_of<Element>(piece));
  }
  tell_largest(largest, bits, parts);
}

// Four rows of four codes, a row a register, to four columns.
KERNEL_DEVICE void transpose_codes(std::uint32_t (&rows)[4]) {
  const std::uint32_t low = ptx::select_bytes(rows[0], rows[1], 0x5140),  // of rows 0 and 1: 00 10 01 11
      high = ptx::select_bytes(rows[0], rows[1], 0x7362);
  const std::uint32_t low2 = ptx::select_bytes(rows[2], rows[3], 0x5140),
                      high2 = ptx::select_bytes(rows[2], rows[3], 0x7362);
  rows[0] = ptx::select_bytes(low, low2, 0x5410);
  rows[1] = ptx::select_bytes(low, low2, 0x7632);
  rows[2] = ptx::select_bytes(high, high2, 0x5410);
  rows[3] = ptx::select_bytes(high, high2, 0x7632);
}

// codes is rows x columns, transposed columns x rows; both extents are multiples of 16. The scale follows
// from `bits`. `next` (null: not wanted) gets the largest magnitude of the matrix itself. Grid: columns, then
// rows, in tiles. A thread has four rows of 16 columns.
//
// The last rows come first: the kernel before wrote them last, so that they are still in the L2 cache. The
// product after it begins with the rows that are written last.
template <class Matrix, class Code>
__global__ void __launch_bounds__(threads_a_block)
    quantise_kernel(Matrix matrix, int rows, int columns, const std::uint32_t* bits, std::uint32_t* next,
                    float* scale, std::uint8_t* codes, std::uint8_t* transposed) {
  KERNEL_SHARED(CodeTile, shared);
  KERNEL_SHARED(OfWarps, parts);
  static_assert(tile * tile == 64 * threads_a_block);
  const float of_scale = __uint_as_float(*bits);
  const float factor = of_scale > 0 ? Code::largest / of_scale : 1.0F;
  if (blockIdx.x == 0 && blockIdx.y == 0 && threadIdx.x == 0) *scale = 1.0F / factor;
  const int first_row = static_cast<int>(gridDim.y - 1 - blockIdx.y) * tile;
  const int first_column = static_cast<int>(blockIdx.x) * tile;
  const int piece = static_cast<int>(threadIdx.x) % 8, line = static_cast<int>(threadIdx.x) / 8;
  const int row = first_row + line * 4, column = first_column + piece * 16;
  float largest = 0;
  if (row < rows && column < columns) {
    Eight eights[4][2];
    KERNEL_UNROLL
    for (int r = 0; r < 4; ++r) KERNEL_UNROLL
    for (int half = 0; half < 2; ++half) eights[r][half] = matrix.eight(row + r, column + half * 8);
    std::uint32_t words[4][4];  // of four columns, then of a row
    KERNEL_UNROLL
    for (int r = 0; r < 4; ++r) {
      KERNEL_UNROLL
      for (int four = 0; four < 4; ++four) {
        const Eight& eight = eights[r][four / 2];
        const float* const from = eight.values + four % 2 * 4;
        words[four][r] = Code::narrow(from[0] * factor, from[1] * factor) |
                         static_cast<std::uint32_t>(Code::narrow(from[2] * factor, from[3] * factor)) << 16;
      }
      if (next != nullptr)
        largest = fmaxf(largest, fmaxf(largest_of(eights[r][0]), largest_of(eights[r][1])));
      *reinterpret_cast<uint4*>(codes + static_cast<std::int64_t>(row + r) * columns + column) =
          make_uint4(words[0][r], words[1][r], words[2][r], words[3][r]);
    }
    KERNEL_UNROLL
    for (int four = 0; four < 4; ++four) {
      transpose_codes(words[four]);
      KERNEL_UNROLL
      for (int c = 0; c < 4; ++c) {
        uint4& place = shared.pieces[piece * 16 + four * 4 + c][line / 4 ^ piece];
        reinterpret_cast<std::uint32_t*>(&place)[line % 4] = words[four][c];
      }
    }
  }
  tell_largest(largest, next, parts);
  __syncthreads();
  KERNEL_UNROLL
  for (int quarter = 0; quarter < 4; ++quarter) {
    const int in_tile = quarter * (tile / 4) + line;
    const int row_of_transposed = first_column + in_tile, column_of_transposed = first_row + piece * 16;
    if (row_of_transposed >= columns || column_of_transposed >= rows) continue;
    *reinterpret_cast<uint4*>(transposed + static_cast<std::int64_t>(row_of_transposed) * rows +
                              column_of_transposed) = shared.pieces[in_tile][piece ^ in_tile / 16];
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
