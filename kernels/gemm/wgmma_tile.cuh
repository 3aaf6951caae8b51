// Shared by the matrix products on wgmma: how a tile is cut, how the copy engine fills a slot of the ring,
// what a warpgroup multiplies of it, and how sums become elements of Y. For F16 and BF16, and through
// WgmmaOperands for others; needs sm_90a. The copy engine needs rows of whole 16 bytes, so that k and n must
// be multiples of 8. It handles other tails: it fills with zeros outside a matrix.
#pragma once

#include "kernels/gemm/tma_ring.cuh"
#include "kernels/ptx/wgmma.cuh"

namespace gemm {

// How elements are multiplied: what sums are, how much of k an instruction takes, and whether W is n x k.
// This is the general case, W being k x n.
template <class Element>
struct WgmmaOperands {
  using Sum = float;
  static constexpr int depth = 16;
  static constexpr bool w_is_transposed = false;
};

// A block takes Rows x Columns elements, a warpgroup 64 of the rows. A slot holds 128 bytes of k, all in the
// 128-byte swizzle: X as Rows rows, W as Columns / 64 boxes of 64 rows (of k) of 128 bytes. A transposed W
// lies there as Columns rows like those of X.
template <int Rows, int Columns, int Stages>
struct WgmmaTiling {
  static constexpr int rows = Rows;
  static constexpr int columns = Columns;
  static constexpr int stages = Stages;
  static constexpr int consumers = rows / 64;  // warpgroups that multiply
  static constexpr int x_bytes = rows * 128;
  static constexpr int box_bytes = 64 * 128;
  static constexpr int slot_bytes = x_bytes + Columns / 64 * box_bytes;
  static constexpr int staging_bytes = consumers * 4 * 16 * 128;  // 16 x 64 elements a warp
  static constexpr int ring_bytes = Stages * slot_bytes;
  static constexpr int shared_bytes = ring_bytes + staging_bytes + 2 * Stages * 8;
  static_assert(Rows % 64 == 0 && Rows <= 128 && Columns % 64 == 0 && Columns <= 256 && Stages >= 2);
};

// The bytes of shared memory, by what they are for.
template <class Tile>
struct WgmmaMemory {
  unsigned char* base;  // a multiple of 1024

  KERNEL_DEVICE std::uint32_t slot(int index) const {
    return ptx::shared_address(base) + static_cast<std::uint32_t>(index * Tile::slot_bytes);
  }
  KERNEL_DEVICE unsigned char* staging(int warp) const { return base + Tile::ring_bytes + warp * (16 * 128); }
  // Complete when a slot's copies have landed; when its readers are done with it.
  KERNEL_DEVICE std::uint32_t full(int index) const {
    return ptx::shared_address(base) +
           static_cast<std::uint32_t>(Tile::ring_bytes + Tile::staging_bytes + index * 8);
  }
  KERNEL_DEVICE std::uint32_t empty(int index) const { return full(Tile::stages + index); }
};

template <class Tile, class Element>
class WgmmaTile {
 public:
  using Memory = WgmmaMemory<Tile>;
  using Operands = WgmmaOperands<Element>;
  using Sum = typename Operands::Sum;
  using Result = typename ResultOf<Element>::Type;
  static constexpr int sums = Tile::columns / 2;                                           // a thread has
  static constexpr int depth = 128 / static_cast<int>(sizeof(typename Element::Storage));  // of k, in a slot

  // By one thread: orders the copies of one slot.
  static KERNEL_DEVICE void fill_slot(const Memory& memory, int slot, const ptx::TensorMap& x,
                                      const ptx::TensorMap& w, int row, int column, int begin) {
    const std::uint32_t to = memory.slot(slot);
    const std::uint32_t barrier = memory.full(slot);
    if constexpr (Operands::w_is_transposed) {
      fill_ring_slot<Tile, 0>(to, barrier, x, w, row, column, begin, 0);
      ptx::tma_load_2d(to + static_cast<std::uint32_t>(Tile::x_bytes), &w, begin, column, barrier);
    } else {
      fill_ring_slot<Tile, Tile::columns / 64>(to, barrier, x, w, row, column, begin, 64);
    }
  }

  // By a warpgroup: issues the products of one slot and ends their group; the first of a tile overwrites `d`.
  static KERNEL_DEVICE void multiply_slot(const Memory& memory, int slot, int warpgroup, bool first,
                                          Sum (&d)[sums]) {
    constexpr bool transposed = Operands::w_is_transposed;
    constexpr int w_step = transposed ? 32 : 16 * 128;  // bytes from one instruction's part to the next one's
    const std::uint32_t x = memory.slot(slot) + static_cast<std::uint32_t>(warpgroup * 64 * 128);
    const std::uint32_t w = memory.slot(slot) + static_cast<std::uint32_t>(Tile::x_bytes);
    ptx::wgmma_fence();
    KERNEL_UNROLL
    for (int p = 0; p < depth / Operands::depth; ++p)
      ptx::Wgmma<Element, Tile::columns>::template shared<ptx::Major::k,
                                                          transposed ? ptx::Major::k : ptx::Major::mn>(
          d, ptx::swizzled_descriptor(x + static_cast<std::uint32_t>(p * 32), 16, 1024),
          ptx::swizzled_descriptor(w + static_cast<std::uint32_t>(p * w_step),
                                   transposed ? 16 : Tile::box_bytes, 1024),
          p != 0 || !first);
    ptx::wgmma_commit();
  }

  // The epilogue's values for the columns of this thread's sums: two neighbours of every eight.
  template <class Epilogue>
  using Pairs = typename Epilogue::Pair[Tile::columns / 8];

  template <class Epilogue>
  static KERNEL_DEVICE void read_pairs(const Problem<Element>& problem, const Epilogue& epilogue, int column,
                                       Pairs<Epilogue>& pairs) {
    KERNEL_UNROLL
    for (int j = 0; j < Tile::columns / 8; ++j) {
      const int at = column + j * 8 + static_cast<int>(threadIdx.x) % 4 * 2;
      pairs[j] = at < problem.n ? epilogue.of_pair(at) : typename Epilogue::Pair{};
    }
  }

  // By a warpgroup, when all its products are done: finishes the sums and writes them, 64 columns at a time.
  // Each warp uses its own 16 rows of shared memory, so that rows of Y are written in runs of 128 bytes. `Of`
  // is Sum, or float where sums were scaled on the way.
  template <class Epilogue, class Of>
  static KERNEL_DEVICE void write_results(const Memory& memory, const Problem<Element>& problem,
                                          const Epilogue& epilogue, int row, int column, int warpgroup,
                                          const Pairs<Epilogue>& pairs, const Of (&d)[sums]) {
    const int warp = warpgroup * 4 + static_cast<int>(threadIdx.x) / 32 % 4;
    const Finish<Epilogue> finish(problem, epilogue, row + own_row(warpgroup));
    KERNEL_UNROLL
    for (int chunk = 0; chunk < Tile::columns / 64; ++chunk) {
      std::uint32_t results[8][2];
      KERNEL_UNROLL
      for (int j = 0; j < 8; ++j) {
        const int at = chunk * 8 + j;
        const float low = Epilogue::low(pairs[at]);
        const float high = Epilogue::high(pairs[at]);
        KERNEL_UNROLL
        for (int half = 0; half < 2; ++half)
          results[j][half] = Result::narrow(finish(d[at * 4 + half * 2], low, half),
                                            finish(d[at * 4 + half * 2 + 1], high, half));
      }
      write_chunk(memory.staging(warp), problem, epilogue, row + warp * 16, column + chunk * 64, results);
    }
  }

  // The first of this thread's two rows of a tile; the other one is 8 below.
  static KERNEL_DEVICE int own_row(int warpgroup) {
    return warpgroup * 64 + static_cast<int>(threadIdx.x) / 32 % 4 * 16 +
           static_cast<int>(threadIdx.x) % 32 / 4;
  }

 private:
  // Finishes sums of this thread's two rows. An epilogue may have a value for a row, too: of_row(row).
  template <class Epilogue>
  class Finish {
   public:
    KERNEL_DEVICE Finish(const Problem<Element>& problem, const Epilogue& epilogue, int first_row)
        : epilogue_(epilogue) {
      if constexpr (has_rows) {
        KERNEL_UNROLL
        for (int half = 0; half < 2; ++half)
          of_rows_[half] = first_row + half * 8 < problem.m ? epilogue.of_row(first_row + half * 8) : 0.0F;
      }
    }
    template <class Of>
    KERNEL_DEVICE float operator()(Of sum, float of_column, int half) const {
      if constexpr (has_rows)
        return epilogue_.finish(static_cast<float>(sum), of_column, of_rows_[half]);
      else
        return epilogue_.finish(static_cast<float>(sum), of_column);
    }

   private:
    static constexpr bool has_rows = requires(const Epilogue& any) { any.of_row(0); };
    const Epilogue& epilogue_;
    float of_rows_[2] = {};
  };

  // By a warp: 16 x 64 elements from (row, column) of Y on, of which a thread holds, of every 8 x 8, what it
  // holds of such a matrix of an ldmatrix.
  template <class Epilogue>
  static KERNEL_DEVICE void write_chunk(unsigned char* staging, const Problem<Element>& problem,
                                        const Epilogue& epilogue, int row, int column,
                                        const std::uint32_t (&results)[8][2]) {
    const int lane = static_cast<int>(threadIdx.x) % 32;
    __syncwarp();  // the chunk before has been read
    KERNEL_UNROLL
    for (int j = 0; j < 8; j += 2)
      ptx::stmatrix_x4(ptx::shared_address(staging + piece_offset<8>(lane % 16, j + lane / 16)),
                       {results[j][0], results[j][1], results[j + 1][0], results[j + 1][1]});
    __syncwarp();
    KERNEL_UNROLL
    for (int i = 0; i < 4; ++i) {
      const int r = i * 4 + lane / 8;
      const int y_row = row + r;
      const int y_column = column + lane % 8 * 8;
      if (y_row < problem.m && y_column < problem.n)
        write_piece(problem, epilogue, y_row, y_column,
                    *reinterpret_cast<const Piece*>(staging + piece_offset<8>(r, lane % 8)));
    }
  }

  // An epilogue may change a piece of the result, add(piece, row, column), and have a place of its own for
  // it, place(row, column) from the beginning of Y on.
  template <class Epilogue>
  static KERNEL_DEVICE void write_piece(const Problem<Element>& problem, const Epilogue& epilogue, int row,
                                        int column, const Piece& piece) {
    if constexpr (requires { epilogue.place(0, 0); })
      *reinterpret_cast<Piece*>(problem.y + epilogue.place(row, column)) = piece;
    else if constexpr (requires { epilogue.add(piece, 0, 0); })
      *reinterpret_cast<Piece*>(problem.y + static_cast<std::int64_t>(row) * problem.n + column) =
          epilogue.add(piece, row, column);
    else
      *reinterpret_cast<Piece*>(problem.y + static_cast<std::int64_t>(row) * problem.n + column) = piece;
  }
};

// The host's part of a launch on wgmma: the descriptions of X and W to the copy engine.
template <class Tile, class Element>
ptx::TensorLayout layout_of_x(const Problem<Element>& problem) {
  return matrix_layout<Element>(problem.m, problem.k, Tile::rows);
}

template <class Tile, class Element>
ptx::TensorLayout layout_of_w(const Problem<Element>& problem) {
  if constexpr (WgmmaOperands<Element>::w_is_transposed)
    return matrix_layout<Element>(problem.n, problem.k, Tile::columns);
  else
    return matrix_layout<Element>(problem.k, problem.n, WgmmaTile<Tile, Element>::depth);
}

}  // namespace gemm
