// Products on wgmma of int8 and E4M3 codes, whose sums become F16: W is n x k, the only order that Hopper
// multiplies them in. The kernels are those of wgmma_specialised.cuh; an epilogue brings the scales.
#pragma once

#include "kernels/gemm/wgmma_specialised.cuh"
#include "kernels/ptx/wgmma_8bit.cuh"

namespace gemm {

template <>
struct ResultOf<ptx::I8> {
  using Type = ptx::F16;
};
template <>
struct ResultOf<ptx::E4M3> {
  using Type = ptx::F16;
};

template <>
struct WgmmaOperands<ptx::I8> {
  using Sum = std::int32_t;
  static constexpr int depth = 32;
  static constexpr bool w_is_transposed = true;
};
template <>
struct WgmmaOperands<ptx::E4M3> {
  using Sum = float;
  static constexpr int depth = 32;
  static constexpr bool w_is_transposed = true;
};

}  // namespace gemm
