// matmul/shared: a block of 32 x 32 threads brings 32 x 32 tiles of A and B into shared memory, one element
// of each a thread, and multiplies them there: every element is read from global memory once a block, not
// once a thread. Still two loads (now from shared memory) for one multiply-add, which is what limits it.
#pragma once

#include "kernels/matmul/rungs/rung.cuh"

namespace matmul {

template <class Element>
__global__ void __launch_bounds__(1024) shared_kernel(Problem<Element> problem) {
  using Tile = float[32][32];
  KERNEL_SHARED(Tile, a);
  KERNEL_SHARED(Tile, b);
  const int x = static_cast<int>(threadIdx.x);
  const int y = static_cast<int>(threadIdx.y);
  const int row = static_cast<int>(blockIdx.x) * 32 + y;
  const int column = static_cast<int>(blockIdx.y) * 32 + x;
  float sum = 0;
  for (int begin = 0; begin < problem.k; begin += 32) {
    // Zeros where the tiles reach past the matrices: they add nothing.
    a[y][x] = row < problem.m && begin + x < problem.k
                  ? Element::widen(problem.x[static_cast<std::int64_t>(row) * problem.k + begin + x])
                  : 0.0F;
    b[y][x] = begin + y < problem.k && column < problem.n
                  ? Element::widen(problem.w[static_cast<std::int64_t>(begin + y) * problem.n + column])
                  : 0.0F;
    __syncthreads();
    KERNEL_UNROLL
    for (int p = 0; p < 32; ++p) sum += a[y][p] * b[p][x];
    __syncthreads();
  }
  if (row < problem.m && column < problem.n)
    problem.y[static_cast<std::int64_t>(row) * problem.n + column] = Element::narrow(sum);
}

struct Shared {
  template <class Element>
  static Launch<Element> plan(const Problem<Element>& problem, int) {
    return {shared_kernel<Element>, dim3{blocks_along(problem.m, 32), blocks_along(problem.n, 32), 1},
            dim3{32, 32, 1}, 0};
  }
};

}  // namespace matmul
