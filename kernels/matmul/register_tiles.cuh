// matmul/register_tiles: each thread computes 8 x 8 elements in registers, so that 16 values from shared
// memory serve 64 multiply-adds; FP32 on CUDA cores, where the multiply-add rate is the limit it should hit.
// A block takes 128 x 128 elements (64 x 64 on small problems). A and B pass through a ring of three slots
// that cp.async fills ahead. A keeps its rows, padded by 16 bytes: the eight rows which a warp reads at once
// (two elements of k each) then lie in different banks. A thread's rows are 8 apart and its columns two runs
// of four, so that reads of B and writes of C are 16 bytes wide and a warp covers whole sectors.
#pragma once

#include "kernels/matmul/rung.cuh"

namespace matmul {

// Aligned: n and k are multiples of 4, so that rows are whole pieces of 16 bytes.
template <int BlockRows, int BlockColumns, bool Aligned>
class RegisterTile {
 public:
  static constexpr int warp_rows = 64;
  static constexpr int warp_columns = 32;
  static constexpr int depth = 16;
  static constexpr int stages = 3;
  static constexpr int warps_across = BlockColumns / warp_columns;
  static constexpr int threads = BlockRows / warp_rows * warps_across * 32;
  static constexpr int a_stride = depth + 4;
  static constexpr int a_floats = BlockRows * a_stride;
  static constexpr int slot_floats = a_floats + depth * BlockColumns;
  static constexpr int shared_bytes = stages * slot_floats * 4;

  static KERNEL_DEVICE void run(float* memory, const Problem<ptx::F32>& problem, int row, int column) {
    float sums[8][8] = {};
    const int steps = (problem.k + depth - 1) / depth;
    KERNEL_UNROLL
    for (int step = 0; step < stages - 1; ++step) {
      if (step < steps) fill(memory + step * slot_floats, problem, row, column, step * depth);
      ptx::cp_async_commit();
    }
    for (int step = 0; step < steps; ++step) {
      ptx::cp_async_wait<stages - 2>();
      __syncthreads();  // the slot is filled by all, and all are done with the one that is filled next
      const int ahead = step + stages - 1;
      if (ahead < steps) fill(memory + ahead % stages * slot_floats, problem, row, column, ahead * depth);
      ptx::cp_async_commit();
      multiply(memory + step % stages * slot_floats, sums);
    }
    ptx::cp_async_wait<0>();
    store(problem, row, column, sums);
  }

 private:
  static KERNEL_DEVICE int thread() { return static_cast<int>(threadIdx.x); }
  // The first of this thread's rows (then every eighth) and columns (four, and four more 16 further on).
  static KERNEL_DEVICE int first_row() {
    return thread() / 32 / warps_across * warp_rows + thread() % 32 / 4;
  }
  static KERNEL_DEVICE int first_column() {
    return thread() / 32 % warps_across * warp_columns + thread() % 4 * 4;
  }

  // Four elements, zeros unless `inside` and from `left` on.
  static KERNEL_DEVICE void fetch(float* to, const float* from, bool inside, int left) {
    if constexpr (Aligned) {
      ptx::cp_async_16(ptx::shared_address(to), from, inside ? 16 : 0);
    } else {
      KERNEL_UNROLL
      for (int i = 0; i < 4; ++i)
        ptx::cp_async_4(ptx::shared_address(to + i), inside && i < left ? from + i : from,
                        inside && i < left ? 4 : 0);
    }
  }

  // Copies Rows x Columns elements from (row, column) of a matrix to rows `Stride` apart. A thread copies the
  // same four columns of several rows: one address, one step.
  template <int Rows, int Columns, int Stride>
  static KERNEL_DEVICE void fill_part(float* to, const float* matrix, int row, int column, int rows,
                                      int columns) {
    constexpr int rows_at_once = threads / (Columns / 4);
    static_assert(threads % (Columns / 4) == 0 && Rows % rows_at_once == 0);
    const int r = thread() / (Columns / 4);
    const int c = thread() % (Columns / 4) * 4;
    const int left = columns - column - c;
    const float* const from = matrix + static_cast<std::int64_t>(row + r) * columns + column + c;
    KERNEL_UNROLL
    for (int i = 0; i < Rows; i += rows_at_once) {
      const bool inside = row + r + i < rows && left > 0;
      fetch(to + (r + i) * Stride + c, inside ? from + static_cast<std::int64_t>(i) * columns : matrix,
            inside, left);
    }
  }

  static KERNEL_DEVICE void fill(float* slot, const Problem<ptx::F32>& problem, int row, int column,
                                 int begin) {
    fill_part<BlockRows, depth, a_stride>(slot, problem.x, row, begin, problem.m, problem.k);
    fill_part<depth, BlockColumns, BlockColumns>(slot + a_floats, problem.w, begin, column, problem.k,
                                                 problem.n);
  }

  static KERNEL_DEVICE void multiply(const float* slot, float (&sums)[8][8]) {
    const float* const a_rows = slot + first_row() * a_stride;
    const float* const b_rows = slot + a_floats + first_column();
    // Two of k at a time and no more: unrolled, or with four, this needs more than the 128 registers that two
    // blocks a multiprocessor leave to a thread.
    KERNEL_NO_UNROLL
    for (int begin = 0; begin < depth; begin += 2) {
      float2 a[8];
      KERNEL_UNROLL
      for (int i = 0; i < 8; ++i) a[i] = *reinterpret_cast<const float2*>(a_rows + i * 8 * a_stride + begin);
      KERNEL_UNROLL
      for (int p = 0; p < 2; ++p) {
        const float* const b_row = b_rows + (begin + p) * BlockColumns;
        const float4 low = *reinterpret_cast<const float4*>(b_row);
        const float4 high = *reinterpret_cast<const float4*>(b_row + 16);
        const float b[8] = {low.x, low.y, low.z, low.w, high.x, high.y, high.z, high.w};
        KERNEL_UNROLL
        for (int i = 0; i < 8; ++i) {
          KERNEL_UNROLL
          for (int j = 0; j < 8; ++j) sums[i][j] += (p == 0 ? a[i].x : a[i].y) * b[j];
        }
      }
    }
  }

  static KERNEL_DEVICE void store(const Problem<ptx::F32>& problem, int row, int column,
                                  const float (&sums)[8][8]) {
    KERNEL_UNROLL
    for (int i = 0; i < 8; ++i) {
      const int to_row = row + first_row() + i * 8;
      if (to_row >= problem.m) continue;
      float* const line = problem.y + static_cast<std::int64_t>(to_row) * problem.n;
      KERNEL_UNROLL
      for (int half = 0; half < 2; ++half) {
        const int to = column + first_column() + half * 16;
        const float* const four = sums[i] + half * 4;
        if constexpr (Aligned) {
          if (to < problem.n)
            *reinterpret_cast<float4*>(line + to) = make_float4(four[0], four[1], four[2], four[3]);
        } else {
          KERNEL_UNROLL
          for (int e = 0; e < 4; ++e)
            if (to + e < problem.n) line[to + e] = four[e];
        }
      }
    }
  }
};

template <class Tile, int BlockRows, int BlockColumns>
__global__ void __launch_bounds__(Tile::threads, Tile::threads <= 256 ? 2 : 1)
    register_tiles_kernel(Problem<ptx::F32> problem) {
  KERNEL_DYNAMIC_SHARED(memory, 16);
  const gemm::TilePosition at =
      gemm::tile_position(static_cast<int>(blockIdx.x), static_cast<int>(tiles_of(problem.m, BlockRows)),
                          static_cast<int>(tiles_of(problem.n, BlockColumns)));
  Tile::run(reinterpret_cast<float*>(memory), problem, at.down * BlockRows, at.across * BlockColumns);
}

struct RegisterTiles {
  template <int BlockRows, int BlockColumns, bool Aligned>
  static Launch<ptx::F32> launch(const Problem<ptx::F32>& problem) {
    using Tile = RegisterTile<BlockRows, BlockColumns, Aligned>;
    return {register_tiles_kernel<Tile, BlockRows, BlockColumns>,
            dim3{blocks_along(problem.m, BlockRows) * blocks_along(problem.n, BlockColumns), 1, 1},
            dim3{static_cast<unsigned>(Tile::threads), 1, 1}, Tile::shared_bytes};
  }

  // Large tiles where they give every multiprocessor one.
  template <class Element>
  static Launch<ptx::F32> plan(const Problem<Element>& problem, int multiprocessors) {
    static_assert(std::is_same_v<Element, ptx::F32>);
    if (problem.n % 4 != 0 || problem.k % 4 != 0) return launch<64, 64, false>(problem);
    if (tiles_of(problem.m, 128) * tiles_of(problem.n, 128) >= multiprocessors)
      return launch<128, 128, true>(problem);
    return launch<64, 64, true>(problem);
  }
};

}  // namespace matmul
