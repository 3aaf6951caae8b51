// matmul/coalesced: the same, but neighbouring threads take neighbouring columns. A warp now reads one
// element of A, which all its threads share, and a run of a row of B, and writes a run of a row of C: whole
// sectors. What limits it is the L1 cache: two loads for one multiply-add.
#pragma once

#include "kernels/matmul/rung.cuh"

namespace matmul {

template <class Element>
__global__ void __launch_bounds__(1024) coalesced_kernel(Problem<Element> problem) {
  const int row = static_cast<int>(blockIdx.x * 32 + threadIdx.y);
  const int column = static_cast<int>(blockIdx.y * 32 + threadIdx.x);
  if (row >= problem.m || column >= problem.n) return;
  const auto* const a = problem.x + static_cast<std::int64_t>(row) * problem.k;
  const auto* b = problem.w + column;
  float sum = 0;
  for (int p = 0; p < problem.k; ++p, b += problem.n) sum += Element::widen(a[p]) * Element::widen(*b);
  problem.y[static_cast<std::int64_t>(row) * problem.n + column] = Element::narrow(sum);
}

struct Coalesced {
  template <class Element>
  static Launch<Element> plan(const Problem<Element>& problem, int) {
    return {coalesced_kernel<Element>, dim3{blocks_along(problem.m, 32), blocks_along(problem.n, 32), 1},
            dim3{32, 32, 1}, 0};
  }
};

}  // namespace matmul
