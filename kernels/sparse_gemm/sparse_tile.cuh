// The product on wgmma.sp: the ring, the producer and the consumers of gemm/wgmma_specialised.cuh, with slots
// of another kind. A sparse operand is A, so that a tile has rows of W and columns that are rows of X: it is
// part of Y^T and is transposed when it is written. One copy brings a block of W with its places
// (compressed.h), another the rows of X, 64 of k both.
#pragma once

#include "kernels/gemm/wgmma_specialised.cuh"
#include "kernels/ptx/wgmma_sparse.cuh"
#include "kernels/sparse_gemm/compressed.h"

namespace sparse_gemm {

// In a gemm::Problem of these kernels m counts rows of W, n rows of X; x and w are not used.
using TransposedProblem = gemm::Problem<ptx::F16>;

// A block takes 128 rows of W and `Columns` rows of X, a warpgroup 64 of the former.
template <int Columns, int Stages>
struct SparseTiling {
  static constexpr int rows = block_rows;
  static constexpr int columns = Columns;
  static constexpr int stages = Stages;
  static constexpr int consumers = rows / 64;
  static constexpr int w_bytes = block_bytes;
  static constexpr int slot_bytes = w_bytes + Columns * 128;
  static constexpr int staging_bytes = consumers * 64 * 128;  // 64 x 64 elements a warpgroup
  static constexpr int ring_bytes = Stages * slot_bytes;
  static constexpr int shared_bytes = ring_bytes + staging_bytes + 2 * Stages * 8;
  static_assert(w_bytes % 1024 == 0 && Columns % 64 == 0 && Columns <= 256 && Stages >= 2);
};

template <class Tile>
class SparseTile {
 public:
  using Memory = gemm::WgmmaMemory<Tile>;
  using Sum = float;
  static constexpr int sums = Tile::columns / 2;       // a thread has
  static constexpr int depth = block_depth;            // of k, in a slot
  static constexpr bool operands_in_registers = true;  // the places
  template <class Epilogue>
  struct Pairs {};

  // By one thread: orders the copies of one slot.
  static KERNEL_DEVICE void fill_slot(const Memory& memory, int slot, const ptx::TensorMap& w,
                                      const ptx::TensorMap& x, int row, int column, int begin) {
    const std::uint32_t to = memory.slot(slot);
    const std::uint32_t barrier = memory.full(slot);
    ptx::mbarrier_arrive_expect(barrier, Tile::slot_bytes);
    ptx::tma_load_3d(to, &w, 0, begin / depth * block_lines, row / Tile::rows, barrier);
    ptx::tma_load_2d(to + static_cast<std::uint32_t>(Tile::w_bytes), &x, begin, column, barrier);
  }

  // By a warpgroup: issues the products of one slot and ends their group; the first of a tile overwrites `d`.
  // The kept values of a warpgroup's rows are one half of the block's lines. Both products take the places
  // from the same word: each from another pair of threads.
  static KERNEL_DEVICE void multiply_slot(const Memory& memory, int slot, int warpgroup, bool first,
                                          Sum (&d)[sums]) {
    const std::uint32_t w = memory.slot(slot) + static_cast<std::uint32_t>(warpgroup * 64);
    const std::uint32_t x = memory.slot(slot) + static_cast<std::uint32_t>(Tile::w_bytes);
    const std::uint32_t places = read_places(memory, slot, warpgroup);
    ptx::wgmma_fence();
    ptx::WgmmaSparse<ptx::F16, Tile::columns>::template shared<0>(
        d, ptx::swizzled_descriptor(w, 16, 1024), ptx::swizzled_descriptor(x, 16, 1024), places, !first);
    ptx::WgmmaSparse<ptx::F16, Tile::columns>::template shared<1>(
        d, ptx::swizzled_descriptor(w + 32, 16, 1024), ptx::swizzled_descriptor(x + 64, 16, 1024), places, 1);
    ptx::wgmma_commit();
  }

  template <class Epilogue>
  static KERNEL_DEVICE void read_pairs(const TransposedProblem&, const Epilogue&, int, Pairs<Epilogue>&) {}

  // By a warpgroup, when all its products are done: 64 rows of X at a time go through the warpgroup's part of
  // shared memory, so that rows of Y are written in runs of 128 bytes.
  template <class Epilogue>
  static KERNEL_DEVICE void write_results(const Memory& memory, const TransposedProblem& problem,
                                          const Epilogue&, int row, int column, int warpgroup,
                                          const Pairs<Epilogue>&, const Sum (&d)[sums]) {
    unsigned char* const staging = memory.staging(warpgroup * 4);
    const int thread = static_cast<int>(threadIdx.x) % 128;
    KERNEL_UNROLL
    for (int chunk = 0; chunk < Tile::columns / 64; ++chunk) {
      ptx::named_barrier_sync(1 + warpgroup, 128);  // the chunk before has been read
      stage(staging, chunk, d);
      ptx::named_barrier_sync(1 + warpgroup, 128);
      KERNEL_UNROLL
      for (int i = 0; i < 4; ++i) {
        const int r = i * 16 + thread / 8;
        const int y_row = column + chunk * 64 + r;
        const int y_column = row + warpgroup * 64 + thread % 8 * 8;
        if (y_row < problem.n && y_column < problem.m)
          *reinterpret_cast<gemm::Piece*>(problem.y + static_cast<std::int64_t>(y_row) * problem.m +
                                          y_column) =
              *reinterpret_cast<const gemm::Piece*>(staging + gemm::piece_offset<8>(r, thread % 8));
      }
    }
  }

 private:
  // This thread's word, where the copy engine's swizzle has put it.
  static KERNEL_DEVICE std::uint32_t read_places(const Memory& memory, int slot, int warpgroup) {
    const int word = warpgroup * 128 + static_cast<int>(threadIdx.x) % 128;
    const unsigned char* const from = memory.base + slot * Tile::slot_bytes + value_bytes +
                                      gemm::piece_offset<8>(word / 32, word % 32 / 4) + word % 4 * 4;
    return *reinterpret_cast<const std::uint32_t*>(from);
  }

  // 64 columns of the tile become 64 rows of 64 elements. In a matrix of 8 x 8, a thread's neighbours along a
  // row of D become neighbours along a column.
  static KERNEL_DEVICE void stage(unsigned char* staging, int chunk, const Sum (&d)[sums]) {
    const int lane = static_cast<int>(threadIdx.x) % 32;
    const int warp = static_cast<int>(threadIdx.x) / 32 % 4;
    KERNEL_UNROLL
    for (int j = 0; j < 8; j += 2) {
      std::uint32_t results[4];
      KERNEL_UNROLL
      for (int i = 0; i < 4; ++i) {
        const int at = (chunk * 8 + j + i / 2) * 4 + i % 2 * 2;
        results[i] = ptx::F16::narrow(d[at], d[at + 1]);
      }
      // Matrix i = lane / 8: eight columns from 8 (j + i / 2) on, rows of the upper or the lower eight.
      const int r = (j + lane / 16) * 8 + lane % 8;
      ptx::stmatrix_x4_transposed(
          ptx::shared_address(staging + gemm::piece_offset<8>(r, warp * 2 + lane / 8 % 2)), results);
    }
  }
};

template <class Tile>
__global__ void __launch_bounds__(384, 1)
    sparse_kernel(const __grid_constant__ ptx::TensorMap w, const __grid_constant__ ptx::TensorMap x,
                  TransposedProblem problem) {
  if constexpr (KERNEL_HAS_WGMMA) {
    KERNEL_DYNAMIC_SHARED(memory, 1024);
    using Product = gemm::WgmmaSpecialised<ptx::F16, Tile, gemm::PlainEpilogue, SparseTile<Tile>>;
    Product::run(memory, w, x, problem, gemm::PlainEpilogue{});
  }
}

// The host's part of a launch. W: 64 halves, the lines of blocks along k, blocks along n.
inline ptx::TensorLayout layout_of_blocks(const TransposedProblem& problem) {
  const auto across = static_cast<std::uint64_t>(gemm::tiles_of(problem.k, block_depth));
  ptx::TensorLayout layout;
  layout.dimensions = 3;
  layout.extents[0] = 64;
  layout.extents[1] = across * block_lines;
  layout.extents[2] = static_cast<std::uint64_t>(gemm::tiles_of(problem.m, block_rows));
  layout.strides[1] = 128;
  layout.strides[2] = across * block_bytes;
  layout.box[0] = 64;
  layout.box[1] = block_lines;
  return layout;
}

inline ptx::TensorLayout layout_of_rows(const TransposedProblem& problem, int columns) {
  ptx::TensorLayout layout;
  layout.extents[0] = static_cast<std::uint64_t>(problem.k);
  layout.extents[1] = static_cast<std::uint64_t>(problem.n);
  layout.strides[1] = static_cast<std::uint64_t>(problem.k) * 2;
  layout.box[0] = block_depth;
  layout.box[1] = static_cast<std::uint32_t>(columns);
  return layout;
}

// A kernel ready to launch on `blocks` blocks of 384 threads.
struct SparseLaunch {
  void (*kernel)(ptx::TensorMap, ptx::TensorMap, TransposedProblem) = nullptr;
  int columns = 0;  // of a tile
  int blocks = 0;
  int threads = 384;
  int shared_bytes = 0;
};

template <class Tile>
SparseLaunch sparse_launch_of(std::int64_t n, std::int64_t m, int multiprocessors) {
  const std::int64_t tiles = gemm::tiles_of(n, Tile::rows) * gemm::tiles_of(m, Tile::columns);
  return {sparse_kernel<Tile>, Tile::columns,
          static_cast<int>(tiles < multiprocessors ? tiles : multiprocessors), 384, Tile::shared_bytes};
}

// Wide tiles read less; narrower ones where there are too few to give most multiprocessors one.
inline SparseLaunch sparse_launch(std::int64_t n, std::int64_t m, int multiprocessors) {
  const auto enough = [&](std::int64_t columns) {
    return gemm::tiles_of(n, block_rows) * gemm::tiles_of(m, columns) * 4 >=
           multiprocessors * std::int64_t{3};
  };
  if (enough(256)) return sparse_launch_of<SparseTiling<256, 5>>(n, m, multiprocessors);
  if (enough(128)) return sparse_launch_of<SparseTiling<128, 8>>(n, m, multiprocessors);
  return sparse_launch_of<SparseTiling<64, 12>>(n, m, multiprocessors);
}

}  // namespace sparse_gemm
