// 16-bit elements and GELU on the device. Elements travel as raw bits (std::uint16_t, or two in a
// std::uint32_t); F16 and BF16 say what the bits mean.
#pragma once

#include <cuda_bf16.h>
#include <cuda_fp16.h>

#include <cstdint>

#include "kernels/linear_gelu/linear_gelu.h"

namespace linear_gelu {

// Sixteen bytes: eight elements that move as one access.
struct alignas(16) Chunk {
  std::uint32_t words[4];
};

struct F16 {
  static __device__ __forceinline__ float2 widen(std::uint32_t pair) {
    return __half22float2(*reinterpret_cast<const __half2*>(&pair));
  }
  static __device__ __forceinline__ float widen(std::uint16_t bits) {
    return __half2float(__ushort_as_half(bits));
  }
  static __device__ __forceinline__ std::uint32_t narrow(float low, float high) {
    const __half2 pair = __floats2half2_rn(low, high);
    return *reinterpret_cast<const std::uint32_t*>(&pair);
  }
  static __device__ __forceinline__ std::uint16_t narrow(float value) {
    return __half_as_ushort(__float2half_rn(value));
  }
};

struct BF16 {
  static __device__ __forceinline__ float2 widen(std::uint32_t pair) {
    return __bfloat1622float2(*reinterpret_cast<const __nv_bfloat162*>(&pair));
  }
  static __device__ __forceinline__ float widen(std::uint16_t bits) {
    return __bfloat162float(__ushort_as_bfloat16(bits));
  }
  static __device__ __forceinline__ std::uint32_t narrow(float low, float high) {
    const __nv_bfloat162 pair = __floats2bfloat162_rn(low, high);
    return *reinterpret_cast<const std::uint32_t*>(&pair);
  }
  static __device__ __forceinline__ std::uint16_t narrow(float value) {
    return __bfloat16_as_ushort(__float2bfloat16_rn(value));
  }
};

// GELU of a float32. The tanh form is written as x / (1 + e^-2u), exact algebra, because the hardware has
// an exponential: its relative error is about 1e-6, far below what a 16-bit result can hold.
template <Gelu Form>
__device__ __forceinline__ float gelu_of(float x) {
  if constexpr (Form == Gelu::erf_form) {
    return 0.5F * x * (1.0F + erff(x * 0.707106781F));
  } else {
    const float u = 0.797884561F * (x + 0.044715F * x * x * x);
    return __fdividef(x, 1.0F + __expf(-2.0F * u));
  }
}

}  // namespace linear_gelu
