// matmul/wmma: the Tensor Cores through CUDA C++'s own interface. A block of four warps takes 64 x 64
// elements (eight warps 128 x 128 where those give every multiprocessor a tile). A and B come into shared
// memory in steps of 32 along k. Each warp multiplies fragments of 16 x 16. The elements of the next step
// travel in registers, 16 bytes an access, while this one is multiplied. Shared memory holds one step, so
// every thread waits twice a step, and fragments are read when they are needed: the Tensor Cores idle then,
// which is what the next rung mends. Rows in shared memory are padded by 16 bytes against bank conflicts.
#pragma once

#include <cstring>

#include "kernels/matmul/rungs/rung.cuh"
#include "kernels/ptx/wmma.cuh"
#include "kernels/slower.cuh"

namespace matmul {

// Block: rows and columns of the block's tile; a warp takes WarpRows x 32 of it.
template <int Block, int WarpRows>
struct WmmaTiling {
  static constexpr int block = Block;
  static constexpr int depth = 32;
  static constexpr int warp_rows = WarpRows;
  static constexpr int warp_columns = 32;
  static constexpr int warps_across = Block / warp_columns;
  static constexpr int threads = Block / WarpRows * warps_across * 32;
  static constexpr int a_stride = depth + 8;
  static constexpr int b_stride = Block + 8;
  static constexpr int c_stride = warp_columns + 4;
  static constexpr int held = Block * depth / 8 / threads;  // pieces of A (and of B) a thread carries
  struct alignas(128) Shared {
    std::uint16_t a[Block * a_stride];
    std::uint16_t b[depth * b_stride];
    float c[threads / 32][16 * c_stride];  // 16 rows of a warp's results
  };
};

// Aligned: n and k are multiples of 8, so that every piece of eight elements is whole and aligned to 16
// bytes.
template <class Element, class Tiling, bool Aligned>
class WmmaTile {
 public:
  static KERNEL_DEVICE void run(typename Tiling::Shared& shared, const Problem<Element>& problem, int row,
                                int column) {
    ptx::WmmaSums sums[down][across];
    KERNEL_UNROLL
    for (int i = 0; i < down * across; ++i) sums[i / across][i % across].clear();
    gemm::Piece a[Tiling::held];
    gemm::Piece b[Tiling::held];
    read(a, b, problem, row, column, 0);
    for (int begin = 0; begin < problem.k; begin += Tiling::depth) {
      write(shared, a, b);
      __syncthreads();
      if (begin + Tiling::depth < problem.k) read(a, b, problem, row, column, begin + Tiling::depth);
      multiply(shared, sums);
      __syncthreads();  // everyone has read this step
    }
    store(shared, problem, row, column, sums);
  }

 private:
  static constexpr int down = Tiling::warp_rows / 16;
  static constexpr int across = Tiling::warp_columns / 16;
  static constexpr int a_pieces = Tiling::depth / 8;  // of a row
  static constexpr int b_pieces = Tiling::block / 8;

  static KERNEL_DEVICE int thread() { return static_cast<int>(threadIdx.x); }
  static KERNEL_DEVICE int warp_row() { return thread() / 32 / Tiling::warps_across * Tiling::warp_rows; }
  static KERNEL_DEVICE int warp_column() {
    return thread() / 32 % Tiling::warps_across * Tiling::warp_columns;
  }

  // Eight elements from (row, column) of a matrix on, zeros outside it.
  static KERNEL_DEVICE gemm::Piece fetch(const std::uint16_t* matrix, int row, int column, int rows,
                                         int columns) {
    const std::uint16_t* const from = matrix + static_cast<std::int64_t>(row) * columns + column;
    gemm::Piece piece = {};
    if constexpr (Aligned) {
      if (row < rows && column < columns) piece = *reinterpret_cast<const gemm::Piece*>(from);
    } else {
      std::uint16_t values[8] = {};
      KERNEL_UNROLL
      for (int i = 0; i < 8; ++i)
        if (row < rows && column + i < columns) values[i] = from[i];
      memcpy(&piece, values, sizeof piece);
    }
    return piece;
  }

  static KERNEL_DEVICE void read(gemm::Piece (&a)[Tiling::held], gemm::Piece (&b)[Tiling::held],
                                 const Problem<Element>& problem, int row, int column, int begin) {
    KERNEL_UNROLL
    for (int i = 0; i < Tiling::held; ++i) {
      const int index = thread() + i * Tiling::threads;
      a[i] = fetch(problem.x, row + index / a_pieces, begin + index % a_pieces * 8, problem.m, problem.k);
      b[i] = fetch(problem.w, begin + index / b_pieces, column + index % b_pieces * 8, problem.k, problem.n);
    }
  }

  static KERNEL_DEVICE void write(typename Tiling::Shared& shared, const gemm::Piece (&a)[Tiling::held],
                                  const gemm::Piece (&b)[Tiling::held]) {
    KERNEL_UNROLL
    for (int i = 0; i < Tiling::held; ++i) {
      const int index = thread() + i * Tiling::threads;
      *reinterpret_cast<gemm::Piece*>(shared.a + index / a_pieces * Tiling::a_stride + index % a_pieces * 8) =
          a[i];
      *reinterpret_cast<gemm::Piece*>(shared.b + index / b_pieces * Tiling::b_stride + index % b_pieces * 8) =
          b[i];
    }
  }

  static KERNEL_DEVICE void multiply(const typename Tiling::Shared& shared,
                                     ptx::WmmaSums (&sums)[down][across]) {
    KERNEL_UNROLL
    for (int p = 0; p < Tiling::depth; p += 16) {
      ptx::WmmaA<Element> a[down];
      ptx::WmmaB<Element> b[across];
      KERNEL_UNROLL
      for (int i = 0; i < down; ++i)
        a[i].load(shared.a + (warp_row() + i * 16) * Tiling::a_stride + p, Tiling::a_stride);
      KERNEL_UNROLL
      for (int j = 0; j < across; ++j)
        b[j].load(shared.b + p * Tiling::b_stride + warp_column() + j * 16, Tiling::b_stride);
      KERNEL_UNROLL
      for (int i = 0; i < down; ++i) KERNEL_UNROLL
      for (int j = 0; j < across; ++j) sums[i][j].add(a[i], b[j]);
    }
  }

  // The layout of a fragment is unspecified, so 16 rows at a time pass through shared memory.
  static KERNEL_DEVICE void store(typename Tiling::Shared& shared, const Problem<Element>& problem, int row,
                                  int column, ptx::WmmaSums (&sums)[down][across]) {
    float* const staging = shared.c[thread() / 32];
    const int lane = thread() % 32;
    KERNEL_UNROLL
    for (int i = 0; i < down; ++i) {
      __syncwarp();  // the 16 rows before have been read
      KERNEL_UNROLL
      for (int j = 0; j < across; ++j) sums[i][j].store(staging + j * 16, Tiling::c_stride);
      __syncwarp();
      KERNEL_UNROLL
      for (int part = 0; part < 2; ++part) {
        const int r = part * 8 + lane / 4;
        const int c = lane % 4 * 8;
        const int y_row = row + warp_row() + i * 16 + r;
        const int y_column = column + warp_column() + c;
        if (y_row < problem.m)
          store_eight(problem.y + static_cast<std::int64_t>(y_row) * problem.n + y_column,
                      staging + r * Tiling::c_stride + c, problem.n - y_column);
      }
    }
  }

  static KERNEL_DEVICE void store_eight(std::uint16_t* to, const float* from, int left) {
    if constexpr (Aligned) {
      if (left <= 0) return;
      gemm::Piece piece;
      KERNEL_UNROLL
      for (int i = 0; i < 4; ++i) piece.words[i] = Element::narrow(from[i * 2], from[i * 2 + 1]);
      *reinterpret_cast<gemm::Piece*>(to) = piece;
    } else {
      KERNEL_UNROLL
      for (int i = 0; i < 8; ++i)
        if (i < left) to[i] = Element::narrow(from[i]);
    }
  }
};

template <class Element, class Tiling, bool Aligned>
__global__ void __launch_bounds__(Tiling::threads, 2) wmma_kernel(Problem<Element> problem) {
  KERNEL_SLOWER;
  KERNEL_SHARED(typename Tiling::Shared, shared);
  const gemm::TilePosition at =
      gemm::tile_position(static_cast<int>(blockIdx.x), static_cast<int>(tiles_of(problem.m, Tiling::block)),
                          static_cast<int>(tiles_of(problem.n, Tiling::block)));
  WmmaTile<Element, Tiling, Aligned>::run(shared, problem, at.down * Tiling::block,
                                          at.across * Tiling::block);
}

struct Wmma {
  template <class Element, class Tiling, bool Aligned>
  static Launch<Element> launch(const Problem<Element>& problem) {
    return {wmma_kernel<Element, Tiling, Aligned>,
            dim3{blocks_along(problem.m, Tiling::block) * blocks_along(problem.n, Tiling::block), 1, 1},
            dim3{static_cast<unsigned>(Tiling::threads), 1, 1}, 0};
  }

  // Large tiles where they give every multiprocessor one.
  template <class Element>
  static Launch<Element> plan(const Problem<Element>& problem, int multiprocessors) {
    using Small = WmmaTiling<64, 32>;
    using Large = WmmaTiling<128, 64>;
    if (problem.n % 8 != 0 || problem.k % 8 != 0) return launch<Element, Small, false>(problem);
    if (tiles_of(problem.m, Large::block) * tiles_of(problem.n, Large::block) >= multiprocessors)
      return launch<Element, Large, true>(problem);
    return launch<Element, Small, true>(problem);
  }
};

}  // namespace matmul
