// The kernel of the variant warps: a warp takes a few queries. For the scores each lane takes a key of the
// tile. The softmax is a shuffle. For the sums each lane takes every 32nd column, and shuffles pass the
// weights. So a warp keeps D / 32 sums a query and lane in registers, instead of D a thread. D is the largest
// dimension it takes.
#pragma once

#include "kernels/attention/device_arguments.cuh"

namespace attention {

inline constexpr int warps_of_block = 4;
inline constexpr int warps_queries = 4;  // of a warp
inline constexpr int warps_block_queries = warps_of_block * warps_queries;
inline constexpr int warps_keys = 32;

// The rows of keys are one element longer than they need be: lanes read a column of them at a time, and so
// meet 32 different banks.
template <int D>
struct WarpsMemory {
  float queries[warps_block_queries][D];
  float keys[warps_keys][D + 1];
  float values[warps_keys][D];
};

// Rows first.. of `from`, times `factor`; zeros past the end of the sequence and of the row.
template <class Element, int D, int Stride>
KERNEL_DEVICE void fill_rows(const Arguments& problem, const std::uint16_t* from, int first, int rows,
                             float factor, float (*to)[Stride]) {
  for (int i = static_cast<int>(threadIdx.x); i < rows * D; i += 32 * warps_of_block) {
    const int row = i / D;
    const int column = i % D;
    const bool inside = first + row < problem.sequence && column < problem.dimension;
    const std::int64_t at = static_cast<std::int64_t>(first + row) * problem.dimension + column;
    to[row][column] = inside ? Element::widen(from[at]) * factor : 0.0F;
  }
}

// One query of a warp.
template <int D>
struct WarpQuery {
  float sums[D / 32] = {};
  float top = minus_infinity();
  float total = 0;  // of this lane's keys

  // This lane's score of the tile, minus infinity where the query does not see the key.
  KERNEL_DEVICE void add(float score, const float (*values)[D], int lane) {
    const float now = fmaxf(top, ptx::warp_max(score));
    if (now == minus_infinity()) return;  // sees no key of this tile, nor of any before: all lanes agree
    const float factor = ptx::exp2_approximate(top - now);
    const float weight = ptx::exp2_approximate(score - now);
    top = now;
    total = total * factor + weight;
    KERNEL_UNROLL
    for (int c = 0; c < D / 32; ++c) sums[c] *= factor;
    KERNEL_UNROLL
    for (int j = 0; j < warps_keys; ++j) {
      const float share = __shfl_sync(0xFFFFFFFFU, weight, j);
      KERNEL_UNROLL
      for (int c = 0; c < D / 32; ++c) sums[c] += share * values[j][c * 32 + lane];
    }
  }
};

// Grid: queries / warps_block_queries, matrices.
template <class Element, int D>
__global__ void __launch_bounds__(32 * warps_of_block) warps_kernel(Arguments problem) {
  KERNEL_DYNAMIC_SHARED(bytes, 16);
  auto& memory = *reinterpret_cast<WarpsMemory<D>*>(bytes);
  const int lane = static_cast<int>(threadIdx.x) % 32;
  const int first_query = static_cast<int>(blockIdx.x) * warps_block_queries;
  const int own = static_cast<int>(threadIdx.x) / 32 * warps_queries;  // this warp's first, in the block
  const std::int64_t start = matrix_start(problem, static_cast<int>(blockIdx.y));
  fill_rows<Element, D>(problem, problem.q + start, first_query, warps_block_queries, problem.scale2,
                        memory.queries);
  WarpQuery<D> queries[warps_queries];
  const int last_query = smaller(first_query + warps_block_queries, problem.sequence) - 1;
  const int seen_by_block = keys_seen(problem, last_query);
  for (int first = 0; first < seen_by_block; first += warps_keys) {
    fill_rows<Element, D>(problem, problem.k + start, first, warps_keys, 1.0F, memory.keys);
    fill_rows<Element, D>(problem, problem.v + start, first, warps_keys, 1.0F, memory.values);
    __syncthreads();
    float scores[warps_queries] = {};
    KERNEL_UNROLL
    for (int c = 0; c < D; ++c) {
      const float key = memory.keys[lane][c];
      KERNEL_UNROLL
      for (int i = 0; i < warps_queries; ++i) scores[i] += memory.queries[own + i][c] * key;
    }
    KERNEL_UNROLL
    for (int i = 0; i < warps_queries; ++i) {
      const int seen = smaller(keys_seen(problem, first_query + own + i), problem.sequence);
      queries[i].add(first + lane < seen ? scores[i] : minus_infinity(), memory.values, lane);
    }
    __syncthreads();
  }
  KERNEL_UNROLL
  for (int i = 0; i < warps_queries; ++i) {
    const float factor = 1.0F / ptx::warp_sum(queries[i].total);
    const int query = first_query + own + i;
    KERNEL_UNROLL
    for (int c = 0; c < D / 32; ++c) {
      const int column = c * 32 + lane;
      if (query < problem.sequence && column < problem.dimension)
        problem.o[start + static_cast<std::int64_t>(query) * problem.dimension + column] =
            Element::narrow(queries[i].sums[c] * factor);
    }
  }
}

}  // namespace attention
