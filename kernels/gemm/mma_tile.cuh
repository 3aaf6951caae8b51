// MmaTile: a matrix product on the Tensor Cores by mma.sync (compute capability 8.0), as the program of one
// block of threads. X and W pass through shared memory in a ring of `Stages` slots, which asynchronous copies
// fill ahead of the products. Each warp holds its part of the tile in registers. It applies the epilogue and
// writes Y through shared memory in 16-byte pieces. For F16, BF16 and TF32.
#pragma once

#include <cstring>

#include "kernels/gemm/mma_results.cuh"
#include "kernels/slower.cuh"

namespace gemm {

// How a tile is cut. The block's tile is split among warps of 32 threads. A warp's part is split into 16 x 8
// results of one Tensor Core instruction, whose depth is 32 bytes of k.
template <int BlockRows, int BlockColumns, int Depth, int WarpRows, int WarpColumns, int Stages,
          int ElementBytes = 2>
struct Tiling {
  static constexpr int block_rows = BlockRows;
  static constexpr int block_columns = BlockColumns;
  static constexpr int depth = Depth;  // of k per slot of the ring
  static constexpr int warp_rows = WarpRows;
  static constexpr int warp_columns = WarpColumns;
  static constexpr int stages = Stages;
  static constexpr int element_bytes = ElementBytes;
  static constexpr int piece = 16 / ElementBytes;  // elements of one
  static constexpr int warps_across = BlockColumns / WarpColumns;
  static constexpr int warps = BlockRows / WarpRows * warps_across;
  static constexpr int threads = 32 * warps;
  static constexpr int x_pieces = Depth / piece;         // per row of the slot's part of X
  static constexpr int w_pieces = BlockColumns / piece;  // per row of its part of W
  static constexpr int y_pieces = WarpColumns / piece;   // per row of a warp's part of Y
  static constexpr int x_bytes = BlockRows * Depth * ElementBytes;
  static constexpr int slot_bytes = x_bytes + Depth * BlockColumns * ElementBytes;
  static constexpr int shared_bytes = Stages * slot_bytes;

  static_assert(BlockRows % WarpRows == 0 && BlockColumns % WarpColumns == 0);
  static_assert(WarpRows % 16 == 0 && WarpColumns % 16 == 0 && Depth % (2 * piece) == 0 && Stages >= 2);
  static_assert(BlockRows * x_pieces % threads == 0 && Depth * w_pieces % threads == 0);
  static_assert(BlockRows * BlockColumns * ElementBytes <= shared_bytes, "Y is staged where the ring was");
};

// The tilings in use, and the choice among them: large tiles read less of X and W, small ones keep more
// multiprocessors busy.
using WideTiling = Tiling<128, 256, 64, 64, 64, 4>;
using SquareTiling = Tiling<128, 128, 64, 64, 64, 3>;
using SmallTiling = Tiling<64, 64, 64, 32, 32, 4>;
using SquareTilingOf4 = Tiling<128, 128, 32, 64, 32, 3, 4>;
using SmallTilingOf4 = Tiling<64, 64, 32, 32, 32, 4, 4>;

template <class Tile>
constexpr std::int64_t blocks_of(std::int64_t m, std::int64_t n) {
  return tiles_of(m, Tile::block_rows) * tiles_of(n, Tile::block_columns);
}

enum class TilingChoice { wide, square, small, small_unaligned };

// The largest tiles that still give every multiprocessor one. Rows of X and W that are not whole pieces of
// 16 bytes (`piece` elements) cannot be copied asynchronously.
constexpr TilingChoice choose_tiling(std::int64_t m, std::int64_t n, std::int64_t k, int multiprocessors,
                                     int piece = 8) {
  if (n % piece != 0 || k % piece != 0) return TilingChoice::small_unaligned;
  if (piece == 8 && blocks_of<WideTiling>(m, n) >= multiprocessors) return TilingChoice::wide;
  if (blocks_of<SquareTiling>(m, n) >= multiprocessors) return TilingChoice::square;
  return TilingChoice::small;
}

// Aligned: k and n are multiples of Tile::piece, so that every piece of X, W and Y is whole and aligned to 16
// bytes. A problem may have two methods of its own. part_of_x(begin) tells which rows and columns of X a slot
// of k has: `row` is added to the tile's, `column` is the first of `columns`. Outside X there are zeros.
// is_zero(row) is true where a row of Y is zeros.
template <class Element, class Tile, bool Aligned, class Epilogue, class Given = Problem<Element>>
class MmaTile {
 public:
  // Computes the tile at `position`. Called by all threads of the block; `memory` has Tile::shared_bytes.
  static KERNEL_DEVICE void run(unsigned char* memory, const Given& problem, const Epilogue& epilogue,
                                TilePosition position) {
    const int row = position.down * Tile::block_rows;
    const int column = position.across * Tile::block_columns;
    typename Results::Sums sums = {};
    const int steps = (problem.k + Tile::depth - 1) / Tile::depth;
    KERNEL_UNROLL
    for (int step = 0; step < Tile::stages - 1; ++step) {
      if (step < steps) fill_slot(memory, problem, row, column, step, step);
      ptx::cp_async_commit();
    }
    multiply_all(memory, problem, row, column, steps, sums);
    ptx::cp_async_wait<0>();
    __syncthreads();  // the ring is free: Y is staged there
    Results::write(memory, problem, epilogue, row, column, sums);
  }

 private:
  using Storage = typename Element::Storage;
  using Results = MmaResults<Element, Tile, Aligned, Epilogue, Given>;
  static_assert(sizeof(Storage) == Tile::element_bytes);
  static constexpr int down = Results::down;
  static constexpr int across = Results::across;
  static constexpr int parts = Tile::x_pieces / 2;  // of a slot, 32 bytes of k each
  static_assert(parts % 2 == 0, "the first part of every slot goes to the first half of the registers");

  static KERNEL_DEVICE int thread() { return static_cast<int>(threadIdx.x); }
  static KERNEL_DEVICE int warp_row() { return Results::warp_row(); }
  static KERNEL_DEVICE int warp_column() { return Results::warp_column(); }

  // Where a piece of the slot's part of W lies. TF32 reads W word by word, rows q = 0 to 3 at once and two
  // pieces of each: the rows are permuted by two pieces for these to lie in eight groups of banks.
  static KERNEL_DEVICE int w_offset(int row, int piece) {
    if constexpr (Tile::element_bytes == 4)
      return Tile::x_bytes + (row * Tile::w_pieces + (piece ^ (row & 3) * 2)) * 16;
    else
      return Tile::x_bytes + piece_offset<Tile::w_pieces>(row, piece);
  }

  // Copies a piece to shared memory; zeros unless `inside`, and where the row ends (`left` elements on).
  static KERNEL_DEVICE void fetch(unsigned char* to, const Storage* from, bool inside, int left) {
    if constexpr (Aligned) {
      ptx::cp_async_16(ptx::shared_address(to), from, inside ? 16 : 0);
    } else {
      Storage values[Tile::piece] = {};
      KERNEL_UNROLL
      for (int i = 0; i < Tile::piece; ++i)
        if (inside && i < left) values[i] = from[i];
      Piece piece;
      memcpy(&piece, values, sizeof piece);
      *reinterpret_cast<Piece*>(to) = piece;
    }
  }

  // Copies `Rows` rows of `Pieces` pieces from (row, column) of a `rows` x `columns` matrix. A thread copies
  // the same piece of several rows: one address, one step. place(row, piece) is where a piece goes. `Shifted`
  // rows may begin before the matrix.
  template <int Rows, int Pieces, bool Shifted = false, class Place>
  static KERNEL_DEVICE void fill_part(const Storage* matrix, int row, int column, int rows, int columns,
                                      Place place) {
    constexpr int rows_at_once = Tile::threads / Pieces;
    static_assert(Tile::threads % Pieces == 0 && Rows % rows_at_once == 0);
    const int r = thread() / Pieces;
    const int piece = thread() % Pieces;
    const int left = columns - column - piece * Tile::piece;
    const Storage* const from =
        matrix + static_cast<std::int64_t>(row + r) * columns + column + piece * Tile::piece;
    KERNEL_UNROLL
    for (int i = 0; i < Rows; i += rows_at_once) {
      // A row before the first one counts as one far behind the last.
      const bool exists =
          Shifted ? static_cast<unsigned>(row + r + i) < static_cast<unsigned>(rows) : row + r + i < rows;
      const bool inside = exists && left > 0;
      fetch(place(r + i, piece), inside ? from + static_cast<std::int64_t>(i) * columns : matrix, inside,
            left);
    }
  }

  static KERNEL_DEVICE void fill_slot(unsigned char* memory, const Given& problem, int row, int column,
                                      int step, int slot) {
    unsigned char* const base = memory + slot * Tile::slot_bytes;
    const int begin = step * Tile::depth;
    const auto place = [base](int r, int piece) { return base + piece_offset<Tile::x_pieces>(r, piece); };
    if constexpr (requires { problem.part_of_x(0); }) {
      const auto part = problem.part_of_x(begin);
      fill_part<Tile::block_rows, Tile::x_pieces, true>(problem.x, row + part.row, part.column, problem.m,
                                                        part.columns, place);
    } else {
      fill_part<Tile::block_rows, Tile::x_pieces>(problem.x, row, begin, problem.m, problem.k, place);
    }
    fill_part<Tile::depth, Tile::w_pieces>(problem.w, begin, column, problem.k, problem.n,
                                           [base](int r, int piece) { return base + w_offset(r, piece); });
  }

  // One warp's part of X for 32 bytes of the slot's depth. Four 8 x 8 matrices of 16-bit elements are
  // loaded at once (8 x 4 of 32 bits for TF32). Their order is upper left, lower left, upper right, lower
  // right. Thread t gives the address of row t % 8 of matrix t / 8.
  static KERNEL_DEVICE void load_x(const unsigned char* slot, int part, std::uint32_t (&x)[down][4]) {
    const int low = thread() % 16;
    const int high = thread() / 16 % 2;
    KERNEL_UNROLL
    for (int i = 0; i < down; ++i)
      ptx::ldmatrix_x4(x[i], ptx::shared_address(slot + piece_offset<Tile::x_pieces>(
                                                            warp_row() + i * 16 + low, part * 2 + high)));
  }

  // The same of W. 16-bit elements are loaded transposed, two columns of halves at a time, upper before
  // lower. TF32 is loaded word by word, rows q and q + 4 of column g, and rounded on the way.
  static KERNEL_DEVICE void load_w(const unsigned char* slot, int part, std::uint32_t (&w)[across][2]) {
    if constexpr (Tile::element_bytes == 4) {
      const int g = thread() % 32 / 4;
      const int q = thread() % 4;
      KERNEL_UNROLL
      for (int j = 0; j < across; ++j) KERNEL_UNROLL
      for (int half = 0; half < 2; ++half) {
        const int column = warp_column() + j * 8 + g;
        const int offset = w_offset(part * 8 + half * 4 + q, column / 4) + column % 4 * 4;
        w[j][half] = ptx::to_tf32(*reinterpret_cast<const float*>(slot + offset));
      }
    } else {
      const int low = thread() % 16;
      const int high = thread() / 16 % 2;
      KERNEL_UNROLL
      for (int j = 0; j < across; j += 2) {
        std::uint32_t pair[4];
        ptx::ldmatrix_x4_transposed(
            pair, ptx::shared_address(slot + w_offset(part * 16 + low, warp_column() / 8 + j + high)));
        w[j][0] = pair[0];
        w[j][1] = pair[1];
        w[j + 1][0] = pair[2];
        w[j + 1][1] = pair[3];
      }
    }
  }

  // The fragments of the next part are loaded before the products of this one, which hide the latency, across
  // slots too. Before the last part of a slot this thread waits for its copies to the next slot. After the
  // barrier all copies have landed, and every thread has read this slot. Copies overwrite it from the next
  // part on.
  static KERNEL_DEVICE void multiply_all(unsigned char* memory, const Given& problem, int row, int column,
                                         int steps, typename Results::Sums& sums) {
    std::uint32_t x[2][down][4];
    std::uint32_t w[2][across][2];
    ptx::cp_async_wait<Tile::stages - 2>();
    __syncthreads();
    load_fragments(memory, 0, x[0], w[0]);
    for (int step = 0; step < steps; ++step) {
      const unsigned char* const slot = memory + step % Tile::stages * Tile::slot_bytes;
      KERNEL_UNROLL
      for (int part = 0; part < parts; ++part) {
        if (part + 1 < parts) {
          load_fragments(slot, part + 1, x[(part + 1) % 2], w[(part + 1) % 2]);
        } else if (step + 1 < steps) {
          ptx::cp_async_wait<Tile::stages - 2>();
          __syncthreads();
          load_fragments(memory + (step + 1) % Tile::stages * Tile::slot_bytes, 0, x[0], w[0]);
        }
        if (part == 0) {
          const int ahead = step + Tile::stages - 1;
          if (ahead < steps) fill_slot(memory, problem, row, column, ahead, ahead % Tile::stages);
          ptx::cp_async_commit();
        }
        KERNEL_UNROLL
        for (int i = 0; i < down; ++i) KERNEL_UNROLL
        for (int j = 0; j < across; ++j) Results::multiply(sums[i][j], x[part % 2][i], w[part % 2][j]);
      }
    }
  }

  static KERNEL_DEVICE void load_fragments(const unsigned char* slot, int part, std::uint32_t (&x)[down][4],
                                           std::uint32_t (&w)[across][2]) {
    load_x(slot, part, x);
    if constexpr (Tile::element_bytes == 4) {
      KERNEL_UNROLL
      for (int i = 0; i < down; ++i) KERNEL_UNROLL
      for (int r = 0; r < 4; ++r) x[i][r] = ptx::to_tf32(__uint_as_float(x[i][r]));
    }
    load_w(slot, part, w);
  }
};

// The kernel of one tiling, for a grid of one dimension with a block a tile.
template <class Element, class Tile, bool Aligned, class Epilogue>
__global__ void __launch_bounds__(Tile::threads)
    mma_kernel(Problem<Element> problem, Epilogue epilogue, int tiles_down, int tiles_across) {
  KERNEL_SLOWER;
  KERNEL_DYNAMIC_SHARED(ring, 128);  // another name than that of kernels on wgmma, aligned otherwise
  MmaTile<Element, Tile, Aligned, Epilogue>::run(
      ring, problem, epilogue, tile_position(static_cast<int>(blockIdx.x), tiles_down, tiles_across));
}

// One instantiation, ready to launch.
template <class Element, class Epilogue>
struct MmaLaunch {
  void (*kernel)(Problem<Element>, Epilogue, int, int) = nullptr;
  int threads = 0;
  int shared_bytes = 0;
  int tiles_down = 0;
  int tiles_across = 0;
};

template <class Element, class Tile, bool Aligned, class Epilogue>
MmaLaunch<Element, Epilogue> mma_launch_of(std::int64_t m, std::int64_t n) {
  return {mma_kernel<Element, Tile, Aligned, Epilogue>, Tile::threads, Tile::shared_bytes,
          static_cast<int>(tiles_of(m, Tile::block_rows)),
          static_cast<int>(tiles_of(n, Tile::block_columns))};
}

// The tiling for a problem on a device of so many multiprocessors.
template <class Element, class Epilogue>
MmaLaunch<Element, Epilogue> mma_launch(std::int64_t m, std::int64_t n, std::int64_t k, int multiprocessors) {
  if constexpr (sizeof(typename Element::Storage) == 4) {
    switch (choose_tiling(m, n, k, multiprocessors, 4)) {
      case TilingChoice::square: return mma_launch_of<Element, SquareTilingOf4, true, Epilogue>(m, n);
      case TilingChoice::small: return mma_launch_of<Element, SmallTilingOf4, true, Epilogue>(m, n);
      default: return mma_launch_of<Element, SmallTilingOf4, false, Epilogue>(m, n);
    }
  } else {
    switch (choose_tiling(m, n, k, multiprocessors, 8)) {
      case TilingChoice::wide: return mma_launch_of<Element, WideTiling, true, Epilogue>(m, n);
      case TilingChoice::square: return mma_launch_of<Element, SquareTiling, true, Epilogue>(m, n);
      case TilingChoice::small: return mma_launch_of<Element, SmallTiling, true, Epilogue>(m, n);
      default: return mma_launch_of<Element, SmallTiling, false, Epilogue>(m, n);
    }
  }
}

}  // namespace gemm
