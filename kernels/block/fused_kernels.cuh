// The kernels of the fused block that are not its short products: attention whose result has heads side by
// side, and epilogues of products on wgmma. Kernel code.
#pragma once

#include <cstring>

#include "kernels/attention/mma_kernel.cuh"
#include "kernels/attention/wgmma_kernel.cuh"
#include "kernels/block/heads.cuh"
#include "kernels/gemm/wgmma_specialised.cuh"
#include "kernels/linear_gelu/gelu_epilogue.cuh"
#include "kernels/ptx/dependent.cuh"

namespace transformer_block {

// Between short products. Grid: queries / Tiling::queries, matrices.
template <class Tiling>
__global__ void __launch_bounds__(Tiling::threads)
    merged_mma_kernel(const __grid_constant__ MergedArguments problem) {
  KERNEL_DYNAMIC_SHARED(memory, 128);
  ptx::let_next_launch_begin();
  ptx::wait_for_launch_before();
  attention::MmaAttention<Tiling, ptx::F16, MergedArguments> attention(problem, memory);
  attention.run();
}

// Grid: queries / Tiling::queries, matrices.
template <class Tiling>
__global__ void __launch_bounds__(Tiling::threads, 1)
    merged_wgmma_kernel(const __grid_constant__ MergedArguments problem,
                        const __grid_constant__ ptx::TensorMap q, const __grid_constant__ ptx::TensorMap k,
                        const __grid_constant__ ptx::TensorMap v) {
  if constexpr (KERNEL_HAS_WGMMA)
    attention::wgmma_attention<attention::WgmmaTiles<Tiling, MergedArguments>, ptx::F16>(problem, &q, &k, &v);
}

KERNEL_DEVICE gemm::Piece sum_of(gemm::Piece piece, const gemm::Piece& other) {
  const auto low = [](std::uint32_t pair) { return ptx::F16::widen(static_cast<std::uint16_t>(pair)); };
  const auto high = [](std::uint32_t pair) {
    return ptx::F16::widen(static_cast<std::uint16_t>(pair >> 16));
  };
  KERNEL_UNROLL
  for (int i = 0; i < 4; ++i)
    piece.words[i] = ptx::F16::narrow(low(piece.words[i]) + low(other.words[i]),
                                      high(piece.words[i]) + high(other.words[i]));
  return piece;
}

struct BiasEpilogue {
  using Pair = std::uint32_t;  // two elements of the bias
  const std::uint16_t* bias = nullptr;

  KERNEL_DEVICE Pair of_pair(int column) const { return *reinterpret_cast<const Pair*>(bias + column); }
  static KERNEL_DEVICE float low(Pair pair) { return ptx::F16::widen(static_cast<std::uint16_t>(pair)); }
  static KERNEL_DEVICE float high(Pair pair) {
    return ptx::F16::widen(static_cast<std::uint16_t>(pair >> 16));
  }
  KERNEL_DEVICE float finish(float sum, float of_column) const { return sum + of_column; }
};

// Stores heads apart.
struct SplitEpilogue : BiasEpilogue {
  HeadSplit split;

  KERNEL_DEVICE std::int64_t place(int row, int column) const { return split.place(row, column); }
};
static_assert(sizeof(SplitEpilogue) == sizeof(void*) + sizeof(HeadSplit));

// Adds the block's input, of `width` columns.
struct AddEpilogue : BiasEpilogue {
  const std::uint16_t* added = nullptr;
  std::int64_t width = 0;

  KERNEL_DEVICE gemm::Piece add(gemm::Piece piece, int row, int column) const {
    return sum_of(piece, *reinterpret_cast<const gemm::Piece*>(added + row * width + column));
  }
};
static_assert(sizeof(AddEpilogue) == 3 * sizeof(void*));

using GeluEpilogue = linear_gelu::GeluEpilogue<ptx::F16, linear_gelu::Gelu::tanh_form>;

}  // namespace transformer_block
