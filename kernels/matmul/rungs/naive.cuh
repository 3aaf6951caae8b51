// matmul/naive: one thread an element, and neighbouring threads take neighbouring rows. The threads of a warp
// then read 32 rows of A and write 32 rows of C at once, one 32-byte sector each: the mistake that the next
// rung mends.
#pragma once

#include "kernels/matmul/rungs/one_element.cuh"

namespace matmul {

template <class Element>
__global__ void __launch_bounds__(1024) naive_kernel(Problem<Element> problem) {
  const int row = static_cast<int>(blockIdx.x * 32 + threadIdx.x);
  const int column = static_cast<int>(blockIdx.y * 32 + threadIdx.y);
  write_one_element(problem, row, column);
}

struct Naive {
  template <class Element>
  static Launch<Element> plan(const Problem<Element>& problem, int) {
    return plan_one_element(naive_kernel<Element>, problem);
  }
};

}  // namespace matmul
