// The kernel of the variant tiles: as online, but the block brings keys and values to shared memory a tile
// at a time, widened once, and every thread reads them there. D is the largest dimension it takes.
#pragma once

#include "kernels/attention/online_kernel.cuh"

namespace attention {

inline constexpr int tiles_threads = 64;  // queries of a block
inline constexpr int tiles_keys = 32;     // keys of a tile

template <int D>
struct alignas(16) TilesMemory {
  float keys[tiles_keys][D];
  float values[tiles_keys][D];
};

// Rows first.. of K and V, zeros past the end of the sequence and of the row.
template <class Element, int D>
KERNEL_DEVICE void fill_tile(const Arguments& problem, std::int64_t start, int first, TilesMemory<D>& tile) {
  for (int i = static_cast<int>(threadIdx.x); i < tiles_keys * D; i += tiles_threads) {
    const int row = i / D;
    const int column = i % D;
    const bool inside = first + row < problem.sequence && column < problem.dimension;
    const std::int64_t from = start + static_cast<std::int64_t>(first + row) * problem.dimension + column;
    tile.keys[row][column] = inside ? Element::widen(problem.k[from]) : 0.0F;
    tile.values[row][column] = inside ? Element::widen(problem.v[from]) : 0.0F;
  }
}

// Grid: queries / tiles_threads, matrices.
template <class Element, int D>
__global__ void __launch_bounds__(tiles_threads) tiles_kernel(Arguments problem) {
  KERNEL_SHARED(TilesMemory<D>, tile);
  const int first_query = static_cast<int>(blockIdx.x) * tiles_threads;
  const int query = first_query + static_cast<int>(threadIdx.x);
  const bool inside = query < problem.sequence;
  const int dimension = problem.dimension;
  const std::int64_t start = matrix_start(problem, static_cast<int>(blockIdx.y));
  const std::int64_t row = start + static_cast<std::int64_t>(query) * dimension;
  OnlineQuery<Element, D> state;
  if (inside) state.load(problem.q + row, dimension, problem.scale2);
  const int last_query = smaller(first_query + tiles_threads, problem.sequence) - 1;
  const int seen_by_block = keys_seen(problem, last_query);
  const int seen = inside ? keys_seen(problem, query) : 0;
  for (int first = 0; first < seen_by_block; first += tiles_keys) {
    fill_tile<Element, D>(problem, start, first, tile);
    __syncthreads();
    for (int j = 0; j < tiles_keys && first + j < seen; ++j) {
      float score = 0;
      KERNEL_UNROLL
      for (int c = 0; c < D; ++c) score += state.q[c] * tile.keys[j][c];
      const float* const values = tile.values[j];
      state.add(score, D, [values](int c) { return values[c]; });
    }
    __syncthreads();
  }
  if (inside) state.store(problem.o + row, dimension);
}

}  // namespace attention
