// The kernel of the variant wgmma_blocks: that of kernels/attention/wgmma_kernel.cuh, whose blocks pass
// through the tiles of keys that a list names. Each block of queries has as many.
#pragma once

#include "kernels/attention/wgmma_kernel.cuh"

namespace sparse_attention {

struct Arguments {
  std::uint16_t* o = nullptr;
  const int* kept = nullptr;  // numbers of blocks of keys: (lists, blocks of queries, count)
  int sequence = 0;
  int dimension = 0;
  int lists = 1;  // all matrices, or 1: the same list for each
  int count = 1;  // kept blocks of a block of queries
  float scale2 = 0;
  int unused = 0;  // no padding
};
static_assert(sizeof(Arguments) == 2 * sizeof(void*) + 5 * sizeof(int) + sizeof(float));

// Where matrix `matrix` begins in Q, K, V and O, in elements.
KERNEL_DEVICE std::int64_t matrix_start(const Arguments& problem, int matrix) {
  return static_cast<std::int64_t>(matrix) * problem.sequence * problem.dimension;
}

// The tiles that a block passes through; an entry is the first key of one.
template <class TilingOfBlock>
struct ListedTiles {
  using Tiling = TilingOfBlock;
  using Problem = Arguments;
  static constexpr bool may_be_empty = false;
  int matrix;
  int query;
  int count;
  int begin;  // in Arguments::kept

  KERNEL_DEVICE explicit ListedTiles(const Arguments& problem)
      : matrix(static_cast<int>(blockIdx.y)),
        query(static_cast<int>(blockIdx.x) * Tiling::queries),
        count(problem.count),
        begin((matrix % problem.lists * static_cast<int>(gridDim.x) + static_cast<int>(blockIdx.x)) *
              problem.count) {}
  KERNEL_DEVICE int entry(const Arguments& problem, int step) const {
    return problem.kept[begin + step] * Tiling::keys;
  }
  static KERNEL_DEVICE int first_key(int entry) { return entry; }

  // Minus infinity for keys past the last one.
  KERNEL_DEVICE void mask(const Arguments& problem, int first, int, int,
                          float (&scores)[Tiling::keys / 2]) const {
    if (first + Tiling::keys <= problem.sequence) return;
    const int seen = problem.sequence - first - static_cast<int>(threadIdx.x) % 4 * 2;
    KERNEL_UNROLL
    for (int i = 0; i < Tiling::keys / 2; ++i)
      if (i / 4 * 8 + i % 2 >= seen) scores[i] = attention::minus_infinity();
  }
};

// Grid: blocks of queries, matrices.
template <class Tiling>
__global__ void __launch_bounds__(Tiling::threads, 1)
    blocks_kernel(const __grid_constant__ Arguments problem, const __grid_constant__ ptx::TensorMap q,
                  const __grid_constant__ ptx::TensorMap k, const __grid_constant__ ptx::TensorMap v) {
  if constexpr (KERNEL_HAS_WGMMA)
    attention::wgmma_attention<ListedTiles<Tiling>, ptx::F16>(problem, &q, &k, &v);
}

}  // namespace sparse_attention
