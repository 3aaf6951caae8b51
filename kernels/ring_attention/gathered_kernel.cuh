// The kernel of the variant gathered: that of kernels/attention/wgmma_kernel.cuh over the keys of all GPUs,
// so sums stay in registers from the first block of keys to the last. Keys and values of other GPUs arrive
// while it runs. The thread that loads them waits for each block of them once. Kernel code: compiled by nvcc,
// and by a plain C++ compiler for the emulator.
#pragma once

#include "kernels/attention/wgmma_kernel.cuh"
#include "kernels/ptx/flag.cuh"

namespace ring_attention {

// `sequence` is that of one block.
struct GatheredArguments : attention::Arguments {
  const unsigned* arrived =
      nullptr;     // for each block of other GPUs: not 0 once its keys and values are there
  int blocks = 0;  // of keys, the GPU's own first
  int heads = 0;
};
static_assert(sizeof(GatheredArguments) == sizeof(attention::Arguments) + sizeof(void*) + 2 * sizeof(int));

// The GPU's own keys, then those of the others as (blocks - 1, heads, sequence, d). A block's last tile comes
// first.
template <class TilingOfBlock>
struct GatheredTiles : attention::WgmmaTiles<TilingOfBlock, GatheredArguments> {
  using Base = attention::WgmmaTiles<TilingOfBlock, GatheredArguments>;
  int of_block;   // tiles
  int block = 0;  // the next tile's, for place()
  int left;       // tiles of that block

  KERNEL_DEVICE explicit GatheredTiles(const GatheredArguments& problem)
      : Base(problem), of_block(Base::count), left(of_block) {
    Base::count = of_block * problem.blocks;
  }
  // Only a tile that reaches past its block's end is masked.
  KERNEL_DEVICE int entry(const GatheredArguments& problem, int step) const {
    return of_block * TilingOfBlock::keys == problem.sequence
               ? 0
               : (of_block - 1 - step % of_block) * TilingOfBlock::keys;
  }
  // The next step's place, for one thread, which calls it once a step. Waits until the keys and values are
  // there.
  KERNEL_DEVICE void place(const GatheredArguments& problem, attention::WgmmaPlace& at) {
    if (left == 0) {
      left = of_block;
      ptx::wait_for_flag(problem.arrived + block);
      ptx::fence_proxy_async_global();
      ++block;
    }
    --left;
    at.first_key = left * TilingOfBlock::keys;
    if (block == 0) return;
    ++at.k;
    ++at.v;
    at.matrix += (block - 1) * problem.heads;
  }
};

// The first one describes the GPU's own tensor, the second one what arrives.
struct TwoMaps {
  ptx::TensorMap at[2];
};

// Grid: queries / Tiling::queries, heads.
template <class Tiling, class Element>
__global__ void __launch_bounds__(Tiling::threads, 1)
    gathered_kernel(const __grid_constant__ GatheredArguments problem,
                    const __grid_constant__ ptx::TensorMap q, const __grid_constant__ TwoMaps k,
                    const __grid_constant__ TwoMaps v) {
  if constexpr (KERNEL_HAS_WGMMA)
    attention::wgmma_attention<GatheredTiles<Tiling>, Element>(problem, &q, k.at, v.at);
}

}  // namespace ring_attention
