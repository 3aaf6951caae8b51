// matmul/coalesced: the same, but neighbouring threads take neighbouring columns. A warp now reads one
// element of A, which all its threads share, and a run of a row of B, and writes a run of a row of C: whole
// sectors. The limit is the L1 cache: two loads for one multiply-add.
#pragma once

#include "kernels/matmul/rungs/one_element.cuh"

namespace matmul {

template <class Element>
__global__ void __launch_bounds__(1024) coalesced_kernel(Problem<Element> problem) {
  const int row = static_cast<int>(blockIdx.x * 32 + threadIdx.y);
  const int column = static_cast<int>(blockIdx.y * 32 + threadIdx.x);
  write_one_element(problem, row, column);
}

struct Coalesced {
  template <class Element>
  static Launch<Element> plan(const Problem<Element>& problem, int) {
    return plan_one_element(coalesced_kernel<Element>, problem);
  }
};

}  // namespace matmul
