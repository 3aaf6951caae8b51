// Shared by the two rungs that give each thread one element: the element itself, and a launch of 32 x 32
// threads. They differ only in which thread of a block takes which element.
#pragma once

#include "kernels/matmul/rungs/rung.cuh"

namespace matmul {

// C[row, column], unless it lies outside.
template <class Element>
__device__ __forceinline__ void write_one_element(Problem<Element> problem, int row, int column) {
  if (row >= problem.m || column >= problem.n) return;
  const auto* const a = problem.x + static_cast<std::int64_t>(row) * problem.k;
  const auto* b = problem.w + column;
  float sum = 0;
  for (int p = 0; p < problem.k; ++p, b += problem.n) sum += Element::widen(a[p]) * Element::widen(*b);
  problem.y[static_cast<std::int64_t>(row) * problem.n + column] = Element::narrow(sum);
}

template <class Element>
Launch<Element> plan_one_element(void (*kernel)(Problem<Element>), const Problem<Element>& problem) {
  return {kernel, dim3{blocks_along(problem.m, 32), blocks_along(problem.n, 32), 1}, dim3{32, 32, 1}, 0};
}

}  // namespace matmul
