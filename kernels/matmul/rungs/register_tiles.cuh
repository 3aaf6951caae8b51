// matmul/register_tiles: each thread computes 8 x 16 elements in registers (8 x 8 and 4 x 4 on small
// problems). So 24 values from shared memory serve 128 multiply-adds. FP32 on CUDA cores, limited by their
// multiply-add rate. Every other instruction of a warp takes the place of 32 multiply-adds, so the rest is
// about having few of them, and about never waiting:
// - A lies transposed in shared memory, so that a thread reads rows of A as it reads columns of B, in fours,
// 16
//   bytes an access. cp.async transposes it on the way, four bytes at a time. A warp copies 4 rows by 8 of k:
//   whole sectors of global memory, and with rows of shared memory padded by 16 bytes, different banks.
// - The values for the next k are read before the products of this one, across slots too: before the last
//   products of a slot a thread waits for the next one's copies, which run several slots ahead.
// - Where all tiles are whole, copies need no predicates, and their pointers only run along k.
// - The loop over a slot's k is unrolled, and short enough for the instruction cache.
// - Two blocks of four warps share a multiprocessor rather than one of eight: a barrier stops half the warps.
#pragma once

#include "kernels/matmul/rungs/rung.cuh"

namespace matmul {

// How elements come into shared memory: none lies outside the matrices; some do; or B must be read one by one
// as well, because its rows are not whole pieces of 16 bytes.
enum class Copies { whole, pieces, words };

// How a tile is cut: a thread takes ThreadRows x ThreadColumns elements, a warp LanesDown times as many rows.
// Resident is how many blocks must fit a multiprocessor.
template <int BlockRows, int BlockColumns, int Depth, int LanesDown, int ThreadRows, int ThreadColumns,
          int Stages, int Resident>
struct RegisterTiling {
  static constexpr int block_rows = BlockRows;
  static constexpr int block_columns = BlockColumns;
  static constexpr int depth = Depth;
  static constexpr int stages = Stages;
  static constexpr int resident = Resident;
  static constexpr int thread_rows = ThreadRows;
  static constexpr int thread_columns = ThreadColumns;
  static constexpr int lanes_down = LanesDown;
  static constexpr int lanes_across = 32 / LanesDown;
  static constexpr int warp_rows = thread_rows * lanes_down;
  static constexpr int warp_columns = thread_columns * lanes_across;
  static constexpr int warps_across = BlockColumns / warp_columns;
  static constexpr int threads = BlockRows / warp_rows * warps_across * 32;
  static constexpr int a_stride = BlockRows + 4;
  static constexpr int a_floats = Depth * a_stride;
  static constexpr int slot_floats = a_floats + Depth * BlockColumns;
  static constexpr int shared_bytes = Stages * slot_floats * 4;
  static_assert(BlockRows % warp_rows == 0 && BlockColumns % warp_columns == 0);
  static_assert(ThreadRows % 4 == 0 && ThreadColumns % 4 == 0 && Depth % 8 == 0 && Stages >= 2);
};

// Brings the parts of A of one slot after the other to shared memory, transposed. A thread copies a column,
// of every eight, of several rows.
template <class Tiling, Copies How>
class CopyOfA {
 public:
  KERNEL_DEVICE CopyOfA(const Problem<ptx::F32>& problem, int row)
      : matrix_(problem.x),
        from_(problem.x + static_cast<std::int64_t>(row + first_row()) * problem.k + first_k()),
        step_(static_cast<std::int64_t>(rows_at_once) * problem.k),
        rows_left_(problem.m - row - first_row()),
        k_left_(problem.k - first_k()) {}

  KERNEL_DEVICE void next(float* to) {
    float* const place = to + first_k() * Tiling::a_stride + first_row();
    const float* from = from_;
    KERNEL_UNROLL
    for (int i = 0; i < Tiling::block_rows; i += rows_at_once, from += step_) {
      KERNEL_UNROLL
      for (int k = 0; k < Tiling::depth; k += 8) {
        const std::uint32_t address = ptx::shared_address(place + k * Tiling::a_stride + i);
        const bool inside = How == Copies::whole || (rows_left_ > i && k_left_ > k);
        ptx::cp_async_4(address, inside ? from + k : matrix_, inside ? 4 : 0);
      }
    }
    from_ += Tiling::depth;
    k_left_ -= Tiling::depth;
  }

 private:
  static constexpr int rows_at_once = Tiling::threads / 8;
  static_assert(Tiling::block_rows % rows_at_once == 0);
  static KERNEL_DEVICE int first_row() { return static_cast<int>(threadIdx.x) / 8; }
  static KERNEL_DEVICE int first_k() { return static_cast<int>(threadIdx.x) % 8; }

  const float* matrix_;
  const float* from_;
  std::int64_t step_;
  int rows_left_;
  int k_left_;
};

// The same for B, as it lies. A thread copies the same four columns of several rows.
template <class Tiling, Copies How>
class CopyOfB {
 public:
  KERNEL_DEVICE CopyOfB(const Problem<ptx::F32>& problem, int column)
      : matrix_(problem.w),
        from_(problem.w + static_cast<std::int64_t>(first_k()) * problem.n + column + first_column()),
        step_(static_cast<std::int64_t>(rows_at_once) * problem.n),
        columns_left_(problem.n - column - first_column()),
        k_left_(problem.k - first_k()) {}

  KERNEL_DEVICE void next(float* to) {
    float* const place = to + first_k() * Tiling::block_columns + first_column();
    KERNEL_UNROLL
    for (int k = 0; k < Tiling::depth; k += rows_at_once, from_ += step_)
      copy(place + k * Tiling::block_columns, from_, k_left_ > k);
    k_left_ -= Tiling::depth;
  }

 private:
  static constexpr int pieces = Tiling::block_columns / 4;
  static constexpr int rows_at_once = Tiling::threads / pieces;
  static_assert(Tiling::threads % pieces == 0 && Tiling::depth % rows_at_once == 0);
  static KERNEL_DEVICE int first_k() { return static_cast<int>(threadIdx.x) / pieces; }
  static KERNEL_DEVICE int first_column() { return static_cast<int>(threadIdx.x) % pieces * 4; }

  // Four elements, zeros where they lie outside.
  KERNEL_DEVICE void copy(float* to, const float* from, bool k_inside) const {
    if constexpr (How == Copies::words) {
      KERNEL_UNROLL
      for (int i = 0; i < 4; ++i) {
        const bool inside = k_inside && columns_left_ > i;
        ptx::cp_async_4(ptx::shared_address(to + i), inside ? from + i : matrix_, inside ? 4 : 0);
      }
    } else {
      const bool inside = How == Copies::whole || (k_inside && columns_left_ > 0);
      ptx::cp_async_16(ptx::shared_address(to), inside ? from : matrix_, inside ? 16 : 0);
    }
  }

  const float* matrix_;
  const float* from_;
  std::int64_t step_;
  int columns_left_;
  int k_left_;
};

template <class Tiling, Copies How>
class RegisterTile {
 public:
  static KERNEL_DEVICE void run(float* memory, const Problem<ptx::F32>& problem, int row, int column) {
    CopyOfA<Tiling, How> copy_a(problem, row);
    CopyOfB<Tiling, How> copy_b(problem, column);
    const auto fill = [&](float* slot) {
      copy_a.next(slot);
      copy_b.next(slot + Tiling::a_floats);
    };
    const int steps = (problem.k + Tiling::depth - 1) / Tiling::depth;
    KERNEL_UNROLL
    for (int step = 0; step < Tiling::stages - 1; ++step) {
      if (step < steps) fill(memory + step * Tiling::slot_floats);
      ptx::cp_async_commit();
    }
    float sums[rows][columns] = {};
    multiply_all(memory, fill, steps, sums);
    ptx::cp_async_wait<0>();
    store(problem, row, column, sums);
  }

 private:
  static constexpr int rows = Tiling::thread_rows;
  static constexpr int columns = Tiling::thread_columns;

  static KERNEL_DEVICE int thread() { return static_cast<int>(threadIdx.x); }
  // Lanes count down and across in turns: of four neighbours, two share their rows and two their columns, and
  // half a warp reads no more than 128 different bytes of shared memory at once.
  static KERNEL_DEVICE int lane_down() {
    const int low = (thread() & 1) | (thread() >> 1 & 2);
    return Tiling::lanes_down == 8 ? low | (thread() >> 2 & 4) : low;
  }
  static KERNEL_DEVICE int lane_across() {
    const int low = (thread() >> 1 & 1) | (thread() >> 2 & 2);
    return Tiling::lanes_down == 8 ? low : low | (thread() >> 2 & 4);
  }
  static_assert(Tiling::lanes_down == 8 || Tiling::lanes_down == 4);

  // The first of this thread's rows and columns; four follow one another, and four more are as many times
  // four further on as a warp has lanes in that direction.
  static KERNEL_DEVICE int first_row() {
    return thread() / 32 / Tiling::warps_across * Tiling::warp_rows + lane_down() * 4;
  }
  static KERNEL_DEVICE int first_column() {
    return thread() / 32 % Tiling::warps_across * Tiling::warp_columns + lane_across() * 4;
  }

  template <int Count, int Lanes>
  static KERNEL_DEVICE void load_fours(const float* from, float (&to)[Count]) {
    KERNEL_UNROLL
    for (int i = 0; i < Count; i += 4) {
      const float4 four = *reinterpret_cast<const float4*>(from + i * Lanes);
      to[i] = four.x;
      to[i + 1] = four.y;
      to[i + 2] = four.z;
      to[i + 3] = four.w;
    }
  }

  static KERNEL_DEVICE void load(const float* slot, int k, float (&a)[rows], float (&b)[columns]) {
    load_fours<rows, Tiling::lanes_down>(slot + k * Tiling::a_stride + first_row(), a);
    load_fours<columns, Tiling::lanes_across>(
        slot + Tiling::a_floats + k * Tiling::block_columns + first_column(), b);
  }

  // Back and forth along the columns: the last operand of a row is the first of the next.
  static KERNEL_DEVICE void multiply(const float (&a)[rows], const float (&b)[columns],
                                     float (&sums)[rows][columns]) {
    KERNEL_UNROLL
    for (int i = 0; i < rows; ++i) {
      KERNEL_UNROLL
      for (int j = 0; j < columns; ++j) {
        const int at = i % 2 == 0 ? j : columns - 1 - j;
        sums[i][at] += a[i] * b[at];
      }
    }
  }

  static KERNEL_DEVICE int after(int slot) {
    return slot + Tiling::slot_floats == Tiling::stages * Tiling::slot_floats ? 0
                                                                              : slot + Tiling::slot_floats;
  }

  // Slots are counted in floats from `memory`. The slot that is filled in a step is the one of the step
  // before: everyone has read it when the barrier at that step's end is behind.
  template <class Fill>
  static KERNEL_DEVICE void multiply_all(float* memory, const Fill& fill, int steps,
                                         float (&sums)[rows][columns]) {
    float a[2][rows];
    float b[2][columns];
    ptx::cp_async_wait<Tiling::stages - 2>();
    __syncthreads();
    load(memory, 0, a[0], b[0]);
    int slot = 0;
    int filled = (Tiling::stages - 1) * Tiling::slot_floats;
    KERNEL_NO_UNROLL
    for (int step = 0; step < steps; ++step) {
      KERNEL_UNROLL
      for (int k = 0; k < Tiling::depth; ++k) {
        if (k + 1 < Tiling::depth) {
          load(memory + slot, k + 1, a[(k + 1) % 2], b[(k + 1) % 2]);
        } else {
          ptx::cp_async_wait<Tiling::stages - 2>();
          __syncthreads();
          slot = after(slot);
          load(memory + slot, 0, a[0], b[0]);  // after the last step, of a slot that nobody needs
        }
        if (k == 0) {
          if (step + Tiling::stages - 1 < steps) fill(memory + filled);
          ptx::cp_async_commit();
          filled = after(filled);
        }
        multiply(a[k % 2], b[k % 2], sums);
      }
    }
  }

  static KERNEL_DEVICE void store(const Problem<ptx::F32>& problem, int row, int column,
                                  const float (&sums)[rows][columns]) {
    KERNEL_UNROLL
    for (int i = 0; i < rows; ++i) {
      const int to_row = row + first_row() + i / 4 * Tiling::lanes_down * 4 + i % 4;
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

  // The largest tiles that leave few multiprocessors idle. Two of the large ones share one.
  template <class Element>
  static Launch<ptx::F32> plan(const Problem<Element>& problem, int multiprocessors) {
    static_assert(std::is_same_v<Element, ptx::F32>);
    using Large = RegisterTiling<128, 128, 8, 8, 8, 16, 4, 2>;
    using Middle = RegisterTiling<64, 64, 16, 8, 8, 8, 3, 4>;
    using Small = RegisterTiling<32, 32, 16, 4, 4, 4, 4, 6>;
    const auto tiles = [&](int tile) { return tiles_of(problem.m, tile) * tiles_of(problem.n, tile); };
    if (problem.n % 4 != 0)
      return tiles(64) >= multiprocessors ? launch<Middle, Copies::words>(problem)
                                          : launch<Small, Copies::words>(problem);
    if (tiles(128) * 2 >= multiprocessors * std::int64_t{3}) return launch<Large>(problem);
    if (tiles(64) >= multiprocessors) return launch<Middle>(problem);
    return launch<Small>(problem);
  }
};

}  // namespace matmul
