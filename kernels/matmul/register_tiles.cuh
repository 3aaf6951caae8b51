// matmul/register_tiles: each thread computes 8 x 16 elements in registers (8 x 8 on small problems), so that
// 24 values from shared memory serve 128 multiply-adds; FP32 on CUDA cores, where the multiply-add rate is
// the limit it should hit. Every other instruction of a warp takes the place of 32 multiply-adds, so the rest
// is about having few of them:
// - A keeps its rows in shared memory, padded by 16 bytes; a thread reads four of k at once of each of its
//   rows, and the columns of B in fours: 16 bytes an access. Rows are 8 apart and columns in runs of four.
// - Lanes are laid out in twos, two by two: of four neighbours, two share their rows and two their columns.
//   The hardware serves half a warp at once when neighbours want the same 16 bytes.
// - A and B pass through a ring of slots that cp.async fills ahead. Where all tiles are whole, the copies
// need
//   no predicates, and their pointers only run along k.
// - The row of B for the next k is read before the products of this one, across slots too: before the last
//   products of a slot the thread waits for the next one's copies.
#pragma once

#include "kernels/matmul/rung.cuh"

namespace matmul {

// How elements come into shared memory: in pieces of 16 bytes, all of them inside the matrices; in pieces,
// some outside; or one by one, because rows are not whole pieces.
enum class Copies { whole, pieces, words };

// How a tile is cut: a warp takes 64 rows, a thread eight of them, and ThreadColumns columns. Resident is how
// many blocks share a multiprocessor.
template <int BlockRows, int BlockColumns, int Depth, int ThreadColumns, int Stages, int Resident>
struct RegisterTiling {
  static constexpr int block_rows = BlockRows;
  static constexpr int block_columns = BlockColumns;
  static constexpr int depth = Depth;
  static constexpr int stages = Stages;
  static constexpr int resident = Resident;
  static constexpr int thread_rows = 8;
  static constexpr int thread_columns = ThreadColumns;
  static constexpr int lanes_down = 8;
  static constexpr int lanes_across = 4;
  static constexpr int warp_rows = thread_rows * lanes_down;
  static constexpr int warp_columns = thread_columns * lanes_across;
  static constexpr int warps_across = BlockColumns / warp_columns;
  static constexpr int threads = BlockRows / warp_rows * warps_across * 32;
  static constexpr int a_stride = Depth + 4;
  static constexpr int a_floats = BlockRows * a_stride;
  static constexpr int slot_floats = a_floats + Depth * BlockColumns;
  static constexpr int shared_bytes = Stages * slot_floats * 4;
  static_assert(BlockRows % warp_rows == 0 && BlockColumns % warp_columns == 0);
  static_assert(Depth % 4 == 0 && Stages >= 2);
};

// Brings Rows x Columns elements of a matrix at a time to rows `Stride` apart in shared memory, going down by
// `RowStep` rows or right by `ColumnStep` columns from one call to the next. A thread copies the same four
// columns of several rows.
template <class Tiling, Copies How, int Rows, int Columns, int Stride, int RowStep, int ColumnStep>
class TileCopy {
 public:
  // Begins at (row, column) of a dense `rows` x `columns` matrix.
  KERNEL_DEVICE TileCopy(const float* matrix, int row, int column, int rows, int columns)
      : matrix_(matrix),
        from_(matrix + static_cast<std::int64_t>(row + first_row()) * columns + column + first_column()),
        columns_(columns),
        rows_left_(rows - row - first_row()),
        columns_left_(columns - column - first_column()) {}

  KERNEL_DEVICE void next(float* to) {
    float* const place = to + first_row() * Stride + first_column();
    const float* from = from_;
    KERNEL_UNROLL
    for (int i = 0; i < Rows; i += rows_at_once) {
      copy(place + i * Stride, from, rows_left_ > i);
      from += static_cast<std::int64_t>(rows_at_once) * columns_;
    }
    // `from` has gone down by Rows.
    if constexpr (RowStep != 0) {
      static_assert(RowStep == Rows);
      from_ = from;
      rows_left_ -= RowStep;
    } else {
      from_ += ColumnStep;
      columns_left_ -= ColumnStep;
    }
  }

 private:
  static constexpr int pieces = Columns / 4;
  static constexpr int rows_at_once = Tiling::threads / pieces;
  static_assert(Tiling::threads % pieces == 0 && Rows % rows_at_once == 0);

  static KERNEL_DEVICE int first_row() { return static_cast<int>(threadIdx.x) / pieces; }
  static KERNEL_DEVICE int first_column() { return static_cast<int>(threadIdx.x) % pieces * 4; }

  // Four elements, zeros where they lie outside.
  KERNEL_DEVICE void copy(float* to, const float* from, bool row_inside) const {
    if constexpr (How == Copies::whole) {
      ptx::cp_async_16(ptx::shared_address(to), from);
    } else if constexpr (How == Copies::pieces) {
      const bool inside = row_inside && columns_left_ > 0;
      ptx::cp_async_16(ptx::shared_address(to), inside ? from : matrix_, inside ? 16 : 0);
    } else {
      KERNEL_UNROLL
      for (int i = 0; i < 4; ++i) {
        const bool inside = row_inside && columns_left_ > i;
        ptx::cp_async_4(ptx::shared_address(to + i), inside ? from + i : matrix_, inside ? 4 : 0);
      }
    }
  }

  const float* matrix_;
  const float* from_;
  int columns_;
  int rows_left_;
  int columns_left_;
};

template <class Tiling, Copies How>
class RegisterTile {
 public:
  static KERNEL_DEVICE void run(float* memory, const Problem<ptx::F32>& problem, int row, int column) {
    CopyOfA a(problem.x, row, 0, problem.m, problem.k);
    CopyOfB b(problem.w, 0, column, problem.k, problem.n);
    const int steps = (problem.k + Tiling::depth - 1) / Tiling::depth;
    KERNEL_UNROLL
    for (int step = 0; step < Tiling::stages - 1; ++step) {
      if (step < steps) fill(memory + step * Tiling::slot_floats, a, b);
      ptx::cp_async_commit();
    }
    float sums[rows][columns] = {};
    multiply_all(memory, a, b, steps, sums);
    ptx::cp_async_wait<0>();
    store(problem, row, column, sums);
  }

 private:
  static constexpr int rows = Tiling::thread_rows;
  static constexpr int columns = Tiling::thread_columns;
  using CopyOfA =
      TileCopy<Tiling, How, Tiling::block_rows, Tiling::depth, Tiling::a_stride, 0, Tiling::depth>;
  using CopyOfB =
      TileCopy<Tiling, How, Tiling::depth, Tiling::block_columns, Tiling::block_columns, Tiling::depth, 0>;

  static KERNEL_DEVICE int thread() { return static_cast<int>(threadIdx.x); }
  // Lane bits 0, 2 and 4 count down, 1 and 3 across.
  static KERNEL_DEVICE int lane_down() { return (thread() & 1) | (thread() >> 1 & 2) | (thread() >> 2 & 4); }
  static KERNEL_DEVICE int lane_across() { return (thread() >> 1 & 1) | (thread() >> 2 & 2); }
  // The first of this thread's rows (then every eighth) and columns (four, then four every 16).
  static KERNEL_DEVICE int first_row() {
    return thread() / 32 / Tiling::warps_across * Tiling::warp_rows + lane_down();
  }
  static KERNEL_DEVICE int first_column() {
    return thread() / 32 % Tiling::warps_across * Tiling::warp_columns + lane_across() * 4;
  }

  static KERNEL_DEVICE void fill(float* slot, CopyOfA& a, CopyOfB& b) {
    a.next(slot);
    b.next(slot + Tiling::a_floats);
  }

  static KERNEL_DEVICE void load_a(const float* slot, int k, float4 (&a)[rows]) {
    const float* const from = slot + first_row() * Tiling::a_stride + k;
    KERNEL_UNROLL
    for (int i = 0; i < rows; ++i)
      a[i] = *reinterpret_cast<const float4*>(from + i * Tiling::lanes_down * Tiling::a_stride);
  }

  static KERNEL_DEVICE void load_b(const float* slot, int k, float (&b)[columns]) {
    const float* const from = slot + Tiling::a_floats + k * Tiling::block_columns + first_column();
    KERNEL_UNROLL
    for (int j = 0; j < columns; j += 4) {
      const float4 four = *reinterpret_cast<const float4*>(from + j * Tiling::lanes_across);
      b[j] = four.x;
      b[j + 1] = four.y;
      b[j + 2] = four.z;
      b[j + 3] = four.w;
    }
  }

  // Back and forth along the columns: the last operand of a row is the first of the next.
  template <int K>
  static KERNEL_DEVICE void multiply(const float4 (&a)[rows], const float (&b)[columns],
                                     float (&sums)[rows][columns]) {
    KERNEL_UNROLL
    for (int i = 0; i < rows; ++i) {
      const float of_a = K == 0 ? a[i].x : K == 1 ? a[i].y : K == 2 ? a[i].z : a[i].w;
      KERNEL_UNROLL
      for (int j = 0; j < columns; ++j) {
        const int at = i % 2 == 0 ? j : columns - 1 - j;
        sums[i][at] += of_a * b[at];
      }
    }
  }

  static KERNEL_DEVICE int after(int slot) {
    return slot + Tiling::slot_floats == Tiling::stages * Tiling::slot_floats ? 0
                                                                              : slot + Tiling::slot_floats;
  }

  // Slots are counted in floats from `memory`. The slot that is filled in a step is the one of the step
  // before: everyone has read it when the barrier at that step's end is behind.
  static KERNEL_DEVICE void multiply_all(float* memory, CopyOfA& copy_a, CopyOfB& copy_b, int steps,
                                         float (&sums)[rows][columns]) {
    float4 a[rows];
    float b[2][columns];
    ptx::cp_async_wait<Tiling::stages - 2>();
    __syncthreads();
    load_b(memory, 0, b[0]);
    int slot = 0;
    int filled = (Tiling::stages - 1) * Tiling::slot_floats;
    KERNEL_NO_UNROLL
    for (int step = 0; step < steps; ++step) {
      KERNEL_UNROLL
      for (int k = 0; k < Tiling::depth; k += 4) {
        load_a(memory + slot, k, a);
        if (k == 0) {
          if (step + Tiling::stages - 1 < steps) fill(memory + filled, copy_a, copy_b);
          ptx::cp_async_commit();
          filled = after(filled);
        }
        load_b(memory + slot, k + 1, b[1]);
        multiply<0>(a, b[0], sums);
        load_b(memory + slot, k + 2, b[0]);
        multiply<1>(a, b[1], sums);
        load_b(memory + slot, k + 3, b[1]);
        multiply<2>(a, b[0], sums);
        if (k + 4 < Tiling::depth) {
          load_b(memory + slot, k + 4, b[0]);
        } else if (step + 1 < steps) {
          ptx::cp_async_wait<Tiling::stages - 2>();
          __syncthreads();
          slot = after(slot);
          load_b(memory + slot, 0, b[0]);
        }
        multiply<3>(a, b[1], sums);
      }
    }
  }

  static KERNEL_DEVICE void store(const Problem<ptx::F32>& problem, int row, int column,
                                  const float (&sums)[rows][columns]) {
    KERNEL_UNROLL
    for (int i = 0; i < rows; ++i) {
      const int to_row = row + first_row() + i * Tiling::lanes_down;
      if (How != Copies::whole && to_row >= problem.m) continue;
      float* const line = problem.y + static_cast<std::int64_t>(to_row) * problem.n;
      KERNEL_UNROLL
      for (int j = 0; j < columns; j += 4) {
        const int to = column + first_column() + j * Tiling::lanes_across;
        const float* const four = sums[i] + j;
        if constexpr (How == Copies::words) {
          KERNEL_UNROLL
          for (int e = 0; e < 4; ++e)
            if (to + e < problem.n) line[to + e] = four[e];
        } else if (How == Copies::whole || to < problem.n) {
          *reinterpret_cast<float4*>(line + to) = make_float4(four[0], four[1], four[2], four[3]);
        }
      }
    }
  }
};

template <class Tiling, Copies How>
__global__ void __launch_bounds__(Tiling::threads, Tiling::resident)
    register_tiles_kernel(Problem<ptx::F32> problem) {
  KERNEL_DYNAMIC_SHARED(memory, 16);
  const gemm::TilePosition at = gemm::tile_position(
      static_cast<int>(blockIdx.x), static_cast<int>(tiles_of(problem.m, Tiling::block_rows)),
      static_cast<int>(tiles_of(problem.n, Tiling::block_columns)));
  RegisterTile<Tiling, How>::run(reinterpret_cast<float*>(memory), problem, at.down * Tiling::block_rows,
                                 at.across * Tiling::block_columns);
}

struct RegisterTiles {
  template <class Tiling, Copies How>
  static Launch<ptx::F32> launch(const Problem<ptx::F32>& problem) {
    return {register_tiles_kernel<Tiling, How>,
            dim3{blocks_along(problem.m, Tiling::block_rows) * blocks_along(problem.n, Tiling::block_columns),
                 1, 1},
            dim3{static_cast<unsigned>(Tiling::threads), 1, 1}, Tiling::shared_bytes};
  }

  template <class Tiling>
  static Launch<ptx::F32> launch(const Problem<ptx::F32>& problem) {
    const bool whole = problem.m % Tiling::block_rows == 0 && problem.n % Tiling::block_columns == 0 &&
                       problem.k % Tiling::depth == 0;
    return whole ? launch<Tiling, Copies::whole>(problem) : launch<Tiling, Copies::pieces>(problem);
  }

  // Large tiles where they give every multiprocessor one.
  template <class Element>
  static Launch<ptx::F32> plan(const Problem<Element>& problem, int multiprocessors) {
    static_assert(std::is_same_v<Element, ptx::F32>);
    using Large = RegisterTiling<128, 128, 16, 16, 3, 2>;
    using Small = RegisterTiling<64, 64, 16, 8, 3, 4>;
    if (problem.n % 4 != 0 || problem.k % 4 != 0) return launch<Small, Copies::words>(problem);
    if (tiles_of(problem.m, Large::block_rows) * tiles_of(problem.n, Large::block_columns) >= multiprocessors)
      return launch<Large>(problem);
    return launch<Small>(problem);
  }
};

}  // namespace matmul
