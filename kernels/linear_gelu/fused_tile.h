// The hand-written fused kernel, as the program of one thread. It is written against a Lane, which supplies
// what only hardware has (asynchronous copies, matrix loads, Tensor Core products, barriers): on the GPU a
// thin wrapper over PTX (cuda_wmma_fused.cu), in the tests a thread of the CPU. So index arithmetic, the
// pipeline's order and every tail are tested without a GPU, on the code that the GPU runs.
//
// A block of threads computes a tile of Y. X and W pass through shared memory in a ring of `Stages` slots,
// filled by asynchronous copies that run ahead of the products; each warp holds its part of the tile in
// registers, adds bias, applies GELU, and writes Y through shared memory in 16-byte pieces.
#pragma once

#include <cstdint>

#ifdef __CUDACC__
#define LINEAR_GELU_DEVICE __device__ __forceinline__
#define LINEAR_GELU_UNROLL _Pragma("unroll")
#else
#define LINEAR_GELU_DEVICE inline
#define LINEAR_GELU_UNROLL
#endif

namespace linear_gelu {

// Extents in elements; all matrices row-major, elements of 16 bits as raw bits.
struct FusedArguments {
  const std::uint16_t* x = nullptr;
  const std::uint16_t* w = nullptr;
  const std::uint16_t* bias = nullptr;
  std::uint16_t* y = nullptr;
  int m = 0;
  int n = 0;
  int k = 0;
};

// Sixteen bytes of shared memory or of Y: eight elements.
struct alignas(16) Piece {
  std::uint32_t words[4];
};

// How a tile is cut. The block's tile is split among warps of 32 threads, a warp's part into the 16 x 8
// results of one Tensor Core instruction of depth 16.
template <int BlockRows, int BlockColumns, int Depth, int WarpRows, int WarpColumns, int Stages>
struct Tiling {
  static constexpr int block_rows = BlockRows;
  static constexpr int block_columns = BlockColumns;
  static constexpr int depth = Depth;  // of k per slot of the ring
  static constexpr int warp_rows = WarpRows;
  static constexpr int warp_columns = WarpColumns;
  static constexpr int stages = Stages;
  static constexpr int warps_across = BlockColumns / WarpColumns;
  static constexpr int warps = BlockRows / WarpRows * warps_across;
  static constexpr int threads = 32 * warps;
  static constexpr int x_pieces = Depth / 8;         // per row of the slot's part of X
  static constexpr int w_pieces = BlockColumns / 8;  // per row of its part of W
  static constexpr int y_pieces = WarpColumns / 8;   // per row of a warp's part of Y
  static constexpr int x_bytes = BlockRows * Depth * 2;
  static constexpr int slot_bytes = x_bytes + Depth * BlockColumns * 2;
  static constexpr int shared_bytes = Stages * slot_bytes;

  static_assert(BlockRows % WarpRows == 0 && BlockColumns % WarpColumns == 0);
  static_assert(WarpRows % 16 == 0 && WarpColumns % 16 == 0 && Depth % 16 == 0 && Stages >= 2);
  static_assert(BlockRows * x_pieces % threads == 0 && Depth * w_pieces % threads == 0);
  static_assert(BlockRows * BlockColumns * 2 <= shared_bytes, "Y is staged where the ring was");
};

// Where piece `piece` of row `row` lies, in bytes, in a matrix of `pieces` pieces a row. Rows are permuted
// among themselves so that the eight pieces which a matrix load (the same column of eight rows) or a row
// copy touches at once lie in eight different groups of banks.
template <int Pieces>
constexpr LINEAR_GELU_DEVICE int piece_offset(int row, int piece) {
  static_assert(Pieces == 4 || Pieces % 8 == 0);
  const int permuted = Pieces == 4 ? piece ^ ((row >> 1) & 3) : piece ^ (row & 7);
  return (row * Pieces + permuted) * 16;
}

struct TilePosition {
  int down = 0;
  int across = 0;
};

// Which tile block `block` computes. Blocks that run at the same time share a group of 8 rows of tiles, so
// that the parts of X and W which they read stay in the L2 cache.
constexpr LINEAR_GELU_DEVICE TilePosition tile_position(int block, int tiles_down, int tiles_across) {
  constexpr int group = 8;
  const int first = block / (group * tiles_across) * group;
  const int rows = tiles_down - first < group ? tiles_down - first : group;
  const int within = block % (group * tiles_across);
  return {first + within % rows, within / rows};
}

// Aligned: k and n are multiples of 8, so that every piece of X, W and Y is whole and aligned to 16 bytes.
template <class Tile, bool Aligned, class Lane>
class FusedTile {
 public:
  // Computes the tile at `position`. Called by all threads of the block.
  static LINEAR_GELU_DEVICE void run(Lane& lane, const FusedArguments& problem, TilePosition position) {
    const int row = position.down * Tile::block_rows;
    const int column = position.across * Tile::block_columns;
    float sums[down][across][4] = {};
    const int steps = (problem.k + Tile::depth - 1) / Tile::depth;
    LINEAR_GELU_UNROLL
    for (int step = 0; step < Tile::stages - 1; ++step) {
      if (step < steps) fill_slot(lane, problem, row, column, step, step);
      lane.end_copy_group();
    }
    for (int step = 0; step < steps; ++step) {
      // This thread's copies for `step` have landed; after the barrier everyone's have, and everyone is
      // done with the slot of the step before, which the next copies overwrite.
      lane.template wait_for_copies<Tile::stages - 2>();
      lane.sync_block();
      const int ahead = step + Tile::stages - 1;
      if (ahead < steps) fill_slot(lane, problem, row, column, ahead, ahead % Tile::stages);
      lane.end_copy_group();
      multiply_slot(lane, step % Tile::stages, sums);
    }
    lane.template wait_for_copies<0>();
    lane.sync_block();  // the ring is free: Y is staged there
    stage_results(lane, problem, column, sums);
    lane.sync_warp();
    write_results(lane, problem, row, column);
  }

 private:
  static constexpr int down = Tile::warp_rows / 16;
  static constexpr int across = Tile::warp_columns / 8;

  static LINEAR_GELU_DEVICE int warp_row(const Lane& lane) {
    return lane.thread() / 32 / Tile::warps_across * Tile::warp_rows;
  }
  static LINEAR_GELU_DEVICE int warp_column(const Lane& lane) {
    return lane.thread() / 32 % Tile::warps_across * Tile::warp_columns;
  }

  // Copies eight elements of a `rows` x `columns` matrix to shared memory, zeros where there are none.
  static LINEAR_GELU_DEVICE void fetch(Lane& lane, int offset, const std::uint16_t* matrix, int row,
                                       int column, int rows, int columns) {
    const bool inside = row < rows && column < columns;
    const std::uint16_t* const from =
        inside ? matrix + static_cast<std::int64_t>(row) * columns + column : matrix;
    if constexpr (Aligned) {
      lane.copy_piece(offset, from, inside ? 16 : 0);
    } else {
      Piece piece = {};
      LINEAR_GELU_UNROLL
      for (int i = 0; i < 8; ++i)
        if (inside && column + i < columns)
          piece.words[i / 2] |= static_cast<std::uint32_t>(from[i]) << (i % 2 * 16);
      *static_cast<Piece*>(lane.shared(offset)) = piece;
    }
  }

  static LINEAR_GELU_DEVICE void fill_slot(Lane& lane, const FusedArguments& problem, int row, int column,
                                           int step, int slot) {
    const int base = slot * Tile::slot_bytes;
    const int begin = step * Tile::depth;
    LINEAR_GELU_UNROLL
    for (int i = 0; i < Tile::block_rows * Tile::x_pieces / Tile::threads; ++i) {
      const int index = lane.thread() + i * Tile::threads;
      const int r = index / Tile::x_pieces;
      const int piece = index % Tile::x_pieces;
      fetch(lane, base + piece_offset<Tile::x_pieces>(r, piece), problem.x, row + r, begin + piece * 8,
            problem.m, problem.k);
    }
    LINEAR_GELU_UNROLL
    for (int i = 0; i < Tile::depth * Tile::w_pieces / Tile::threads; ++i) {
      const int index = lane.thread() + i * Tile::threads;
      const int r = index / Tile::w_pieces;
      const int piece = index % Tile::w_pieces;
      fetch(lane, base + Tile::x_bytes + piece_offset<Tile::w_pieces>(r, piece), problem.w, begin + r,
            column + piece * 8, problem.k, problem.n);
    }
  }

  // What one warp needs for 16 of the slot's depth, in the registers of mma.m16n8k16 (PTX ISA, "Matrix
  // fragments for mma.m16n8k16"). In a load of four 8 x 8 matrices thread t gives the address of row t % 8
  // of matrix t / 8; for X these are the quarters of 16 x 16 in the order upper left, lower left, upper
  // right, lower right, and for W, loaded transposed, two columns of halves, each upper then lower.
  static LINEAR_GELU_DEVICE void load_fragments(Lane& lane, int slot, int part, std::uint32_t (&x)[down][4],
                                                std::uint32_t (&w)[across][2]) {
    const int base = slot * Tile::slot_bytes;
    const int low = lane.thread() % 16;
    const int high = lane.thread() / 16 % 2;
    LINEAR_GELU_UNROLL
    for (int i = 0; i < down; ++i)
      lane.load_matrices(base + piece_offset<Tile::x_pieces>(warp_row(lane) + i * 16 + low, part * 2 + high),
                         x[i]);
    LINEAR_GELU_UNROLL
    for (int j = 0; j < across; j += 2) {
      std::uint32_t pair[4];
      lane.load_matrices_transposed(
          base + Tile::x_bytes +
              piece_offset<Tile::w_pieces>(part * 16 + low, warp_column(lane) / 8 + j + high),
          pair);
      w[j][0] = pair[0];
      w[j][1] = pair[1];
      w[j + 1][0] = pair[2];
      w[j + 1][1] = pair[3];
    }
  }

  // The fragments of the next part are loaded before the products of this one, which hide the latency.
  static LINEAR_GELU_DEVICE void multiply_slot(Lane& lane, int slot, float (&sums)[down][across][4]) {
    constexpr int parts = Tile::depth / 16;
    std::uint32_t x[2][down][4];
    std::uint32_t w[2][across][2];
    load_fragments(lane, slot, 0, x[0], w[0]);
    LINEAR_GELU_UNROLL
    for (int part = 0; part < parts; ++part) {
      if (part + 1 < parts) load_fragments(lane, slot, part + 1, x[(part + 1) % 2], w[(part + 1) % 2]);
      LINEAR_GELU_UNROLL
      for (int i = 0; i < down; ++i) LINEAR_GELU_UNROLL
      for (int j = 0; j < across; ++j) lane.multiply(sums[i][j], x[part % 2][i], w[part % 2][j]);
    }
  }

  static LINEAR_GELU_DEVICE int staging(const Lane& lane) {
    return lane.thread() / 32 * (Tile::warp_rows * Tile::warp_columns * 2);
  }

  // A thread holds, of each 16 x 8 result, columns 2q and 2q+1 (q its place among four threads) of two
  // rows, eight apart.
  static LINEAR_GELU_DEVICE void stage_results(Lane& lane, const FusedArguments& problem, int column,
                                               float (&sums)[down][across][4]) {
    const int group = lane.thread() % 32 / 4;
    const int quad = lane.thread() % 4;
    LINEAR_GELU_UNROLL
    for (int j = 0; j < across; ++j) {
      const int first = column + warp_column(lane) + j * 8 + quad * 2;
      const float low = first < problem.n ? lane.widen(problem.bias[first]) : 0.0F;
      const float high = first + 1 < problem.n ? lane.widen(problem.bias[first + 1]) : 0.0F;
      LINEAR_GELU_UNROLL
      for (int i = 0; i < down; ++i) LINEAR_GELU_UNROLL
      for (int half = 0; half < 2; ++half) {
        const int offset =
            staging(lane) + piece_offset<Tile::y_pieces>(i * 16 + half * 8 + group, j) + quad * 4;
        *static_cast<std::uint32_t*>(lane.shared(offset)) =
            lane.narrow(lane.gelu(sums[i][j][half * 2] + low), lane.gelu(sums[i][j][half * 2 + 1] + high));
      }
    }
  }

  static LINEAR_GELU_DEVICE void write_results(Lane& lane, const FusedArguments& problem, int row,
                                               int column) {
    LINEAR_GELU_UNROLL
    for (int i = 0; i < Tile::warp_rows * Tile::y_pieces / 32; ++i) {
      const int index = lane.thread() % 32 + i * 32;
      const int r = index / Tile::y_pieces;
      const int piece = index % Tile::y_pieces;
      const int y_row = row + warp_row(lane) + r;
      const int y_column = column + warp_column(lane) + piece * 8;
      if (y_row >= problem.m || y_column >= problem.n) continue;
      const Piece values =
          *static_cast<const Piece*>(lane.shared(staging(lane) + piece_offset<Tile::y_pieces>(r, piece)));
      std::uint16_t* const to = problem.y + static_cast<std::int64_t>(y_row) * problem.n + y_column;
      if constexpr (Aligned) {
        *reinterpret_cast<Piece*>(to) = values;
      } else {
        LINEAR_GELU_UNROLL
        for (int e = 0; e < 8; ++e)
          if (y_column + e < problem.n)
            to[e] = static_cast<std::uint16_t>(values.words[e / 2] >> (e % 2 * 16));
      }
    }
  }
};

// The tilings in use, and the choice among them: large tiles read less of X and W, small ones keep more
// multiprocessors busy.
using WideTiling = Tiling<128, 256, 32, 64, 64, 4>;
using SquareTiling = Tiling<128, 128, 32, 64, 64, 4>;
using SmallTiling = Tiling<64, 64, 64, 32, 32, 4>;

constexpr std::int64_t tiles_of(std::int64_t extent, std::int64_t tile) {
  return (extent + tile - 1) / tile;
}

template <class Tile>
constexpr std::int64_t blocks_of(std::int64_t m, std::int64_t n) {
  return tiles_of(m, Tile::block_rows) * tiles_of(n, Tile::block_columns);
}

enum class TilingChoice { wide, square, small, small_unaligned };

// The largest tiles that still give every multiprocessor one.
constexpr TilingChoice choose_tiling(std::int64_t m, std::int64_t n, std::int64_t k, int multiprocessors) {
  if (n % 8 != 0 || k % 8 != 0) return TilingChoice::small_unaligned;
  if (blocks_of<WideTiling>(m, n) >= multiprocessors) return TilingChoice::wide;
  if (blocks_of<SquareTiling>(m, n) >= multiprocessors) return TilingChoice::square;
  return TilingChoice::small;
}

}  // namespace linear_gelu
