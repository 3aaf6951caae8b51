// 16-bit elements two at a time, for the elementwise kernels: ptx::F16 and ptx::BF16 with that.
#pragma once

#include <cstdint>

#include "kernels/linear_gelu/gelu_epilogue.cuh"

namespace linear_gelu {

// Sixteen bytes: eight elements that move as one access.
struct alignas(16) Chunk {
  std::uint32_t words[4];
};

struct F16 : ptx::F16 {
  using ptx::F16::widen;
  static __device__ __forceinline__ float2 widen(std::uint32_t pair) {
    return __half22float2(*reinterpret_cast<const __half2*>(&pair));
  }
};

struct BF16 : ptx::BF16 {
  using ptx::BF16::widen;
  static __device__ __forceinline__ float2 widen(std::uint32_t pair) {
    return __bfloat1622float2(*reinterpret_cast<const __nv_bfloat162*>(&pair));
  }
};

}  // namespace linear_gelu
