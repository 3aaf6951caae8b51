// Shared by our own attention kernels: their arguments, and how they read and write rows. Kernel code:
// compiled by nvcc, and by a plain C++ compiler for the emulator.
#pragma once

#include "kernels/ptx/warp.cuh"

namespace attention {

// Q, K, V and O as (matrices, sequence, dimension), dense; elements as raw bits.
struct Arguments {
  const std::uint16_t* q = nullptr;
  const std::uint16_t* k = nullptr;
  const std::uint16_t* v = nullptr;
  std::uint16_t* o = nullptr;
  int sequence = 0;
  int dimension = 0;
  int causal = 0;    // query i sees keys 0..i
  float scale2 = 0;  // scale times log2(e): weights are powers of two, which the hardware has
};
static_assert(sizeof(Arguments) == 4 * sizeof(void*) + 3 * sizeof(int) + sizeof(float));

// Where matrix `matrix` begins, in elements.
KERNEL_DEVICE std::int64_t matrix_start(const Arguments& problem, int matrix) {
  return static_cast<std::int64_t>(matrix) * problem.sequence * problem.dimension;
}

KERNEL_DEVICE float minus_infinity() {
  return __uint_as_float(0xFF800000U);
}

// The keys that query `query` sees are those below this.
KERNEL_DEVICE int keys_seen(const Arguments& problem, int query) {
  return problem.causal != 0 ? query + 1 : problem.sequence;
}

KERNEL_DEVICE int smaller(int a, int b) {
  return a < b ? a : b;
}

}  // namespace attention
