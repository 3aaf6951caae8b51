// The kernel of ring_attention: that of kernels/attention/wgmma_kernel.cuh for one block of keys. Sums of
// earlier blocks are kept in float32 with their largest scores, and the last block writes the result.
// Kernel code: compiled by nvcc, and by a plain C++ compiler for the emulator.
#pragma once

#include "kernels/attention/wgmma_kernel.cuh"

namespace ring_attention {

// Sums and scores of the queries over the blocks so far.
struct Carry {
  float* sums = nullptr;  // (h, block, d), not yet divided by the total weight
  float2* scores =
      nullptr;    // (h, block, 4): the largest score and the total weight, for each of a row's lanes
  int first = 0;  // there is nothing before
  int last = 0;   // the result is complete
};

// `sequence` is that of one block.
struct Arguments : attention::Arguments {
  Carry carry;
};
static_assert(sizeof(Arguments) == sizeof(attention::Arguments) + 2 * sizeof(void*) + 2 * sizeof(int));

// Grid: queries / Tiling::queries, heads.
template <class Tiling, class Element>
__global__ void __launch_bounds__(Tiling::threads, 1)
    ring_kernel(const __grid_constant__ Arguments problem, const __grid_constant__ ptx::TensorMap q,
                const __grid_constant__ ptx::TensorMap k, const __grid_constant__ ptx::TensorMap v) {
  if constexpr (KERNEL_HAS_WGMMA)
    attention::wgmma_attention<attention::WgmmaTiles<Tiling, Arguments>, Element>(problem, &q, &k, &v);
}

}  // namespace ring_attention
