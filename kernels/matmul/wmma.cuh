// matmul/wmma: the Tensor Cores through CUDA C++'s own interface. A block of four warps takes 64 x 64
// elements; A and B come into shared memory in steps of 32 along k, by plain loads that everyone waits for,
// and each warp multiplies 2 x 2 fragments of 16 x 16. Rows in shared memory are padded by 16 bytes against
// bank conflicts. Nothing overlaps: the Tensor Cores idle while memory is read, which is what the next rung
// mends.
#pragma once

#include "kernels/matmul/rung.cuh"
#include "kernels/ptx/wmma.cuh"

namespace matmul {

struct WmmaTile {
  static constexpr int block = 64;
  static constexpr int depth = 32;
  static constexpr int threads = 128;
  static constexpr int a_stride = depth + 8;
  static constexpr int b_stride = block + 8;
  static constexpr int c_stride = block + 4;
  struct alignas(128) Shared {
    std::uint16_t a[block * a_stride];
    std::uint16_t b[depth * b_stride];
    float c[block * c_stride];
  };

  // Elements [column, column + width) of `block_rows` rows, zeros outside the matrix.
  static KERNEL_DEVICE void load(std::uint16_t* to, int stride, int block_rows, int width,
                                 const std::uint16_t* matrix, int row, int column, int rows, int columns) {
    for (int index = static_cast<int>(threadIdx.x); index < block_rows * width; index += threads) {
      const int r = index / width;
      const int c = index % width;
      const bool inside = row + r < rows && column + c < columns;
      to[r * stride + c] = inside ? matrix[static_cast<std::int64_t>(row + r) * columns + column + c]
                                  : static_cast<std::uint16_t>(0);
    }
  }
};

template <class Element>
__global__ void __launch_bounds__(WmmaTile::threads) wmma_kernel(Problem<Element> problem) {
  using Tile = WmmaTile;
  KERNEL_SHARED(Tile::Shared, shared);
  const int row = static_cast<int>(blockIdx.x) * Tile::block;
  const int column = static_cast<int>(blockIdx.y) * Tile::block;
  const int warp = static_cast<int>(threadIdx.x) / 32;
  const int warp_row = warp / 2 * 32;
  const int warp_column = warp % 2 * 32;
  ptx::WmmaSums sums[2][2];
  KERNEL_UNROLL
  for (int i = 0; i < 4; ++i) sums[i / 2][i % 2].clear();
  for (int begin = 0; begin < problem.k; begin += Tile::depth) {
    Tile::load(shared.a, Tile::a_stride, Tile::block, Tile::depth, problem.x, row, begin, problem.m,
               problem.k);
    Tile::load(shared.b, Tile::b_stride, Tile::depth, Tile::block, problem.w, begin, column, problem.k,
               problem.n);
    __syncthreads();
    KERNEL_UNROLL
    for (int p = 0; p < Tile::depth; p += 16) {
      ptx::WmmaA<Element> a[2];
      ptx::WmmaB<Element> b[2];
      KERNEL_UNROLL
      for (int i = 0; i < 2; ++i) {
        a[i].load(shared.a + (warp_row + i * 16) * Tile::a_stride + p, Tile::a_stride);
        b[i].load(shared.b + p * Tile::b_stride + warp_column + i * 16, Tile::b_stride);
      }
      KERNEL_UNROLL
      for (int i = 0; i < 4; ++i) sums[i / 2][i % 2].add(a[i / 2], b[i % 2]);
    }
    __syncthreads();
  }
  KERNEL_UNROLL
  for (int i = 0; i < 4; ++i)
    sums[i / 2][i % 2].store(shared.c + (warp_row + i / 2 * 16) * Tile::c_stride + warp_column + i % 2 * 16,
                             Tile::c_stride);
  __syncthreads();
  for (int index = static_cast<int>(threadIdx.x); index < Tile::block * Tile::block; index += Tile::threads) {
    const int r = index / Tile::block;
    const int c = index % Tile::block;
    if (row + r < problem.m && column + c < problem.n)
      problem.y[static_cast<std::int64_t>(row + r) * problem.n + column + c] =
          Element::narrow(shared.c[r * Tile::c_stride + c]);
  }
}

struct Wmma {
  template <class Element>
  static Launch<Element> plan(const Problem<Element>& problem, int) {
    return {wmma_kernel<Element>,
            dim3{blocks_along(problem.m, WmmaTile::block), blocks_along(problem.n, WmmaTile::block), 1},
            dim3{WmmaTile::threads, 1, 1}, 0};
  }
};

}  // namespace matmul
