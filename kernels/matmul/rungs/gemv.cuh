// matmul/gemv: at most four rows of A, so that reading B once is nearly all the work. A block takes 32
// columns: four threads read 64 bytes of a row of B, straight into registers, with the next rows on their
// way. The threads of a block share k and add their sums at the end, in the same order each time. So no sum
// crosses blocks, and blocks are as large as it takes to have enough bytes on their way in every
// multiprocessor.
#pragma once

#include "kernels/matmul/rungs/rung.cuh"
#include "kernels/ptx/small.cuh"

namespace matmul {

template <class Element, int Rows, int Threads>
class GemvBlock {
 public:
  static constexpr int columns = 32;
  static constexpr int warps = Threads / 32;
  using Sums = float[warps][Rows][columns];

  static KERNEL_DEVICE void run(const Problem<Element>& problem, Sums& of_warps) {
    const int piece = static_cast<int>(threadIdx.x) % of_row * 8;
    const int column = static_cast<int>(blockIdx.x) * columns + piece;
    float sums[Rows][8] = {};
    uint4 now[depth];
    int p = static_cast<int>(threadIdx.x) / of_row * depth;
    read(problem, p, column, now);
    for (; p < problem.k; p += step) {
      uint4 next[depth];
      read(problem, p + step, column, next);
      multiply(problem, p, now, sums);
      KERNEL_UNROLL
      for (int i = 0; i < depth; ++i) now[i] = next[i];
    }
    add_in_warp(sums);
    if (threadIdx.x % 32 < of_row) {
      KERNEL_UNROLL
      for (int r = 0; r < Rows; ++r) KERNEL_UNROLL
      for (int c = 0; c < 8; ++c) of_warps[threadIdx.x / 32][r][piece + c] = sums[r][c];
    }
    __syncthreads();
    write(problem, of_warps);
  }

 private:
  static constexpr int of_row = columns / 8;             // threads that share a row
  static constexpr int depth = 4;                        // rows of B of a thread at once
  static constexpr int step = Threads / of_row * depth;  // of the block

  // Zeros outside B. A piece is inside or outside as a whole.
  static KERNEL_DEVICE void read(const Problem<Element>& problem, int p, int column, uint4 (&to)[depth]) {
    KERNEL_UNROLL
    for (int i = 0; i < depth; ++i) {
      to[i] = make_uint4(0, 0, 0, 0);
      if (p + i < problem.k && column < problem.n)
        to[i] = ptx::load_once(problem.w + static_cast<std::int64_t>(p + i) * problem.n + column);
    }
  }

  static KERNEL_DEVICE void multiply(const Problem<Element>& problem, int p, const uint4 (&rows)[depth],
                                     float (&sums)[Rows][8]) {
    KERNEL_UNROLL
    for (int i = 0; i < depth; ++i) {
      const std::uint32_t words[4] = {rows[i].x, rows[i].y, rows[i].z, rows[i].w};
      KERNEL_UNROLL
      for (int r = 0; r < Rows; ++r) {
        float a = 0;
        if (p + i < problem.k && r < problem.m)
          a = Element::widen(__ldg(problem.x + static_cast<std::int64_t>(r) * problem.k + p + i));
        KERNEL_UNROLL
        for (int c = 0; c < 8; ++c)
          sums[r][c] += a * Element::widen(static_cast<std::uint16_t>(words[c / 2] >> (16 * (c % 2))));
      }
    }
  }

  // Threads whose numbers are the same modulo of_row have the same columns.
  static KERNEL_DEVICE void add_in_warp(float (&sums)[Rows][8]) {
    KERNEL_UNROLL
    for (int r = 0; r < Rows; ++r) KERNEL_UNROLL
    for (int c = 0; c < 8; ++c) KERNEL_UNROLL
    for (int bits = 16; bits >= of_row; bits /= 2)
      sums[r][c] += __shfl_xor_sync(0xFFFFFFFFU, sums[r][c], bits);
  }

  static KERNEL_DEVICE void write(const Problem<Element>& problem, const Sums& of_warps) {
    for (int i = static_cast<int>(threadIdx.x); i < Rows * columns; i += Threads) {
      const int row = i / columns;
      const int column = static_cast<int>(blockIdx.x) * columns + i % columns;
      if (row >= problem.m || column >= problem.n) continue;
      float sum = 0;
      for (int w = 0; w < warps; ++w) sum += of_warps[w][row][i % columns];
      problem.y[static_cast<std::int64_t>(row) * problem.n + column] = Element::narrow(sum);
    }
  }
};

// Threads that a multiprocessor holds at 128 and at 64 registers each.
template <int Rows>
constexpr int gemv_threads = Rows > 1 ? 512 : 1024;

template <class Element, int Rows, int Threads>
__global__ void __launch_bounds__(Threads, gemv_threads<Rows> / Threads)
    gemv_kernel(Problem<Element> problem) {
  using Block = GemvBlock<Element, Rows, Threads>;
  KERNEL_SHARED(typename Block::Sums, of_warps);
  Block::run(problem, of_warps);
}

struct Gemv {
  static constexpr int most_rows = 4;

  // Why it does not multiply this shape; null where it does.
  template <class Element>
  static const char* refusal(const Problem<Element>& problem) {
    if (problem.m > most_rows) return "more than 4 rows of A: the rungs on Tensor Cores reuse B";
    if (problem.n % 8 != 0) return "n is not a multiple of 8: rows of B are read in pieces of 16 bytes";
    return nullptr;
  }

  template <class Element>
  static Launch<Element> plan(const Problem<Element>& problem, int multiprocessors) {
    if (problem.m > 2) return of_rows<Element, 4>(problem, multiprocessors);
    return problem.m > 1 ? of_rows<Element, 2>(problem, multiprocessors)
                         : of_rows<Element, 1>(problem, multiprocessors);
  }

 private:
  template <class Element, int Rows>
  static Launch<Element> of_rows(const Problem<Element>& problem, int multiprocessors) {
    constexpr int most = gemv_threads<Rows>;
    const int tiles = tiles_of(problem.n, 32);
    if (tiles <= multiprocessors) return launch<Element, Rows, most>(tiles);
    if (tiles <= 2 * multiprocessors) return launch<Element, Rows, most / 2>(tiles);
    return launch<Element, Rows, most / 4>(tiles);
  }

  template <class Element, int Rows, int Threads>
  static Launch<Element> launch(int tiles) {
    return {gemv_kernel<Element, Rows, Threads>, dim3{static_cast<unsigned>(tiles), 1, 1},
            dim3{static_cast<unsigned>(Threads), 1, 1}, 0};
  }
};

}  // namespace matmul
