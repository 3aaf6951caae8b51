// MmaTma: a matrix product by mma.sync whose ring the copy engine fills (compute capability 9.0). What
// MmaTile does with cp.async takes its warps a third of their time; here one thread orders the copies of a
// slot. The warps meet at mbarriers only: a slot's copies have landed; all warps have read it. For F16, BF16
// and TF32.
#pragma once

#include "kernels/gemm/mma_results.cuh"
#include "kernels/gemm/tma_ring.cuh"
#include "kernels/slower.cuh"

namespace gemm {

// The block's tile is split among warps of 32 threads. A slot holds 128 bytes of k, all in the 128-byte
// swizzle: X as BlockRows rows, W as boxes of `depth` rows (of k) of 128 bytes.
template <int BlockRows, int BlockColumns, int WarpRows, int WarpColumns, int Stages, int BlocksAtOnce,
          int ElementBytes>
struct MmaTmaTiling {
  static constexpr int block_rows = BlockRows;
  static constexpr int block_columns = BlockColumns;
  static constexpr int warp_rows = WarpRows;
  static constexpr int warp_columns = WarpColumns;
  static constexpr int stages = Stages;
  static constexpr int blocks_at_once = BlocksAtOnce;  // on a multiprocessor
  static constexpr int element_bytes = ElementBytes;
  static constexpr int depth = 128 / ElementBytes;  // of k per slot
  static constexpr int piece = 16 / ElementBytes;   // elements of one
  static constexpr int warps_across = BlockColumns / WarpColumns;
  static constexpr int warps = BlockRows / WarpRows * warps_across;
  static constexpr int threads = 32 * warps;
  static constexpr int y_pieces = WarpColumns / piece;  // per row of a warp's part of Y
  static constexpr int x_bytes = BlockRows * 128;
  static constexpr int boxes = BlockColumns / depth;
  static constexpr int box_bytes = depth * 128;
  static constexpr int slot_bytes = x_bytes + boxes * box_bytes;
  static constexpr int ring_bytes = Stages * slot_bytes;
  static constexpr int shared_bytes = ring_bytes + 2 * Stages * 8;

  static_assert(BlockRows % WarpRows == 0 && BlockColumns % WarpColumns == 0 && BlockRows <= 256);
  static_assert(WarpRows % 16 == 0 && WarpColumns % 32 == 0 && BlockColumns % depth == 0);
  static_assert(Stages >= 3, "a slot is filled again a step after it was read");
  static_assert(ElementBytes == 4 || BlockRows * BlockColumns * ElementBytes <= ring_bytes,
                "Y is staged where the ring was");
};

// TF32: which columns of W an instruction takes is free, as long as the sums are written where they belong. A
// thread loads 16 bytes, four columns of a row, each for another instruction. Column g of instruction j (mod
// 4) is then column 4 p + j of the box, where p = float_piece_of(g). Eight threads of one access have two
// columns g of four rows; their pieces lie in eight groups of banks.
constexpr KERNEL_DEVICE int float_piece_of(int g) {
  return g / 2 + g % 2 * 4;
}

template <class Element, class Tile, class Epilogue>
class MmaTma {
 public:
  using Given = Problem<Element>;

  // Computes the tile at `at`. Called by all threads of the block; `memory` has Tile::shared_bytes and is a
  // multiple of 1024.
  static KERNEL_DEVICE void run(unsigned char* memory, const ptx::TensorMap& x, const ptx::TensorMap& w,
                                const Given& problem, const Epilogue& epilogue, TilePosition at) {
    const int row = at.down * Tile::block_rows;
    const int column = at.across * Tile::block_columns;
    const int steps = (problem.k + Tile::depth - 1) / Tile::depth;
    if (thread() == 0) {
      for (int slot = 0; slot < Tile::stages; ++slot) {
        ptx::mbarrier_init(full(memory, slot), 1);
        ptx::mbarrier_init(empty(memory, slot), Tile::warps);
      }
      ptx::fence_mbarrier_init();
      for (int slot = 0; slot < Tile::stages && slot < steps; ++slot)
        fill_slot(memory, slot, x, w, row, column, slot);
    }
    __syncthreads();
    typename Results::Sums sums = {};
    multiply_all(memory, x, w, row, column, steps, sums);
    if constexpr (Tile::element_bytes == 4) {
      write_floats(problem, epilogue, row, column, sums);
    } else {
      __syncthreads();  // the ring is free: Y is staged there
      Results::write(memory, problem, epilogue, row, column, sums);
    }
  }

 private:
  using Results = MmaResults<Element, Tile, true, Epilogue, Given>;
  using Place = RingPlace<Tile>;
  static constexpr int down = Results::down;
  static constexpr int across = Results::across;
  static constexpr int parts = 4;  // of a slot, 32 bytes of k each

  static KERNEL_DEVICE int thread() { return static_cast<int>(threadIdx.x); }
  static KERNEL_DEVICE int lane() { return thread() % 32; }

  // Complete when a slot's copies have landed; when all warps have read it.
  static KERNEL_DEVICE std::uint32_t full(const unsigned char* memory, int slot) {
    return ptx::shared_address(memory) + static_cast<std::uint32_t>(Tile::ring_bytes + slot * 8);
  }
  static KERNEL_DEVICE std::uint32_t empty(const unsigned char* memory, int slot) {
    return full(memory, Tile::stages + slot);
  }

  // By one thread: orders the copies of step `step` of k.
  static KERNEL_DEVICE void fill_slot(const unsigned char* memory, int slot, const ptx::TensorMap& x,
                                      const ptx::TensorMap& w, int row, int column, int step) {
    fill_ring_slot<Tile, Tile::boxes>(
        ptx::shared_address(memory) + static_cast<std::uint32_t>(slot * Tile::slot_bytes), full(memory, slot),
        x, w, row, column, step * Tile::depth, Tile::depth);
  }

  // The fragments of the next part are loaded before the products of this one, which hide the latency, across
  // slots too. A slot is filled again one step after this warp has read it. By then the others have, too.
  static KERNEL_DEVICE void multiply_all(unsigned char* memory, const ptx::TensorMap& x_map,
                                         const ptx::TensorMap& w_map, int row, int column, int steps,
                                         typename Results::Sums& sums) {
    std::uint32_t x[2][down][4];
    std::uint32_t w[2][across][2];
    Place before;
    Place place;
    ptx::mbarrier_wait(full(memory, 0), 0);
    load_fragments(memory, 0, x[0], w[0]);
    for (int step = 0; step < steps; ++step) {
      const unsigned char* const slot = memory + place.slot * Tile::slot_bytes;
      Place next = place;
      next.next();
      KERNEL_UNROLL
      for (int part = 0; part < parts; ++part) {
        if (part + 1 < parts) {
          load_fragments(slot, part + 1, x[(part + 1) % 2], w[(part + 1) % 2]);
        } else {
          __syncwarp();
          if (lane() == 0) ptx::mbarrier_arrive(empty(memory, place.slot));
          if (step + 1 < steps) {
            ptx::mbarrier_wait(full(memory, next.slot), next.phase);
            load_fragments(memory + next.slot * Tile::slot_bytes, 0, x[0], w[0]);
          }
          const int ahead = step - 1 + Tile::stages;
          if (thread() == 0 && step > 0 && ahead < steps) {
            ptx::mbarrier_wait(empty(memory, before.slot), before.phase);
            fill_slot(memory, before.slot, x_map, w_map, row, column, ahead);
          }
        }
        KERNEL_UNROLL
        for (int i = 0; i < down; ++i) KERNEL_UNROLL
        for (int j = 0; j < across; ++j) {
          const int at = i % 2 == 0 ? j : across - 1 - j;  // neighbours share an operand
          Results::multiply(sums[i][at], x[part % 2][i], w[part % 2][at]);
        }
      }
      before = place;
      place = next;
    }
  }

  // One warp's fragments for 32 bytes of the slot's depth: of X by matrix loads, as MmaTile has them.
  static KERNEL_DEVICE void load_fragments(const unsigned char* slot, int part, std::uint32_t (&x)[down][4],
                                           std::uint32_t (&w)[across][2]) {
    const int low = lane() % 16;
    const int high = lane() / 16;
    KERNEL_UNROLL
    for (int i = 0; i < down; ++i) {
      ptx::ldmatrix_x4(x[i], ptx::shared_address(slot + piece_offset<8>(Results::warp_row() + i * 16 + low,
                                                                        part * 2 + high)));
      if constexpr (Tile::element_bytes == 4) {
        KERNEL_UNROLL
        for (int r = 0; r < 4; ++r) x[i][r] = ptx::near_tf32(x[i][r]);
      }
    }
    if constexpr (Tile::element_bytes == 4)
      load_w_floats(slot + Tile::x_bytes, part, w);
    else
      load_w(slot + Tile::x_bytes, part * 16 + low, high, w);
  }

  // 16-bit elements are loaded transposed, two columns of halves at a time, upper before lower.
  static KERNEL_DEVICE void load_w(const unsigned char* boxes, int k, int high,
                                   std::uint32_t (&w)[across][2]) {
    KERNEL_UNROLL
    for (int j = 0; j < across; j += 2) {
      const int piece = Results::warp_column() / 8 + j;
      std::uint32_t pair[4];
      ptx::ldmatrix_x4_transposed(pair, ptx::shared_address(boxes + piece / 8 * Tile::box_bytes +
                                                            piece_offset<8>(k, piece % 8 + high)));
      w[j][0] = pair[0];
      w[j][1] = pair[1];
      w[j + 1][0] = pair[2];
      w[j + 1][1] = pair[3];
    }
  }

  static KERNEL_DEVICE void load_w_floats(const unsigned char* boxes, int part,
                                          std::uint32_t (&w)[across][2]) {
    KERNEL_UNROLL
    for (int box = 0; box < across / 4; ++box) KERNEL_UNROLL
    for (int half = 0; half < 2; ++half) {
      const Piece piece = *reinterpret_cast<const Piece*>(
          boxes + (Results::warp_column() / 32 + box) * Tile::box_bytes +
          piece_offset<8>(part * 8 + half * 4 + lane() % 4, float_piece_of(lane() / 4)));
      KERNEL_UNROLL
      for (int j = 0; j < 4; ++j) w[box * 4 + j][half] = ptx::near_tf32(piece.words[j]);
    }
  }

  // A thread has the sums of columns g = 2q and 2q + 1 of every instruction. Four instructions give it two
  // runs of four neighbours in a row of Y.
  static KERNEL_DEVICE void write_floats(const Given& problem, const Epilogue& epilogue, int row, int column,
                                         const typename Results::Sums& sums) {
    KERNEL_UNROLL
    for (int box = 0; box < across / 4; ++box) KERNEL_UNROLL
    for (int e = 0; e < 2; ++e) {
      const int y_column =
          column + Results::warp_column() + box * 32 + float_piece_of(lane() % 4 * 2 + e) * 4;
      if (y_column >= problem.n) continue;
      float of_columns[4];
      KERNEL_UNROLL
      for (int j = 0; j < 4; ++j) of_columns[j] = epilogue.of_column(y_column + j);
      KERNEL_UNROLL
      for (int i = 0; i < down; ++i) KERNEL_UNROLL
      for (int half = 0; half < 2; ++half) {
        const int y_row = row + Results::warp_row() + i * 16 + half * 8 + lane() / 4;
        if (y_row >= problem.m) continue;
        const auto finished = [&](int j) {
          return epilogue.finish(sums[i][box * 4 + j][half * 2 + e], of_columns[j]);
        };
        *reinterpret_cast<float4*>(problem.y + static_cast<std::int64_t>(y_row) * problem.n + y_column) =
            make_float4(finished(0), finished(1), finished(2), finished(3));
      }
    }
  }
};

// The kernel of one tiling, for a grid of one dimension with a block a tile.
template <class Element, class Tile, class Epilogue>
__global__ void __launch_bounds__(Tile::threads, Tile::blocks_at_once)
    mma_tma_kernel(const __grid_constant__ ptx::TensorMap x, const __grid_constant__ ptx::TensorMap w,
                   Problem<Element> problem, Epilogue epilogue) {
  KERNEL_SLOWER;
  if constexpr (KERNEL_HAS_TMA) {
    KERNEL_DYNAMIC_SHARED(memory, 1024);
    const TilePosition at =
        tile_position(static_cast<int>(blockIdx.x), static_cast<int>(tiles_of(problem.m, Tile::block_rows)),
                      static_cast<int>(tiles_of(problem.n, Tile::block_columns)));
    MmaTma<Element, Tile, Epilogue>::run(memory, x, w, problem, epilogue, at);
  }
}

template <class Element, class Tile, class Epilogue>
TmaLaunch<Element, Epilogue> mma_tma_launch_of(std::int64_t m, std::int64_t n) {
  return {mma_tma_kernel<Element, Tile, Epilogue>,
          [](const Problem<Element>& problem) {
            return matrix_layout<Element>(problem.m, problem.k, Tile::block_rows);
          },
          [](const Problem<Element>& problem) {
            return matrix_layout<Element>(problem.k, problem.n, Tile::depth);
          },
          static_cast<int>(tiles_of(m, Tile::block_rows) * tiles_of(n, Tile::block_columns)),
          Tile::threads,
          Tile::shared_bytes,
          {Tile::block_rows, Tile::block_columns, Tile::stages}};
}

// Whether the square tiles give each multiprocessor one. With fewer the small tiles of mma_tile.cuh are
// faster: 0.70 of cuBLASLt at 512^3 on an H200, where small tiles fed by the copy engine have 0.59.
constexpr bool fills_with_tma(std::int64_t m, std::int64_t n, int multiprocessors) {
  return tiles_of(m, 128) * tiles_of(n, 128) >= multiprocessors;
}

// Large tiles read less of W, where there are so many rows. Two blocks of the square ones share a
// multiprocessor.
template <class Element, class Epilogue>
TmaLaunch<Element, Epilogue> mma_tma_launch(std::int64_t m, std::int64_t n, int multiprocessors) {
  constexpr int bytes = sizeof(typename Element::Storage);
  if (m > 128 && tiles_of(m, 256) * tiles_of(n, 128) >= multiprocessors)
    return mma_tma_launch_of<Element, MmaTmaTiling<256, 128, 64, 64, 4, 1, bytes>, Epilogue>(m, n);
  return mma_tma_launch_of<Element, MmaTmaTiling<128, 128, 64, 64, 3, 2, bytes>, Epilogue>(m, n);
}

}  // namespace gemm
