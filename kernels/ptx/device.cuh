// The CUDA language as kernel headers use it: qualifiers, shared memory, unrolling, and the element types
// with their conversions. nvcc gets the real functions; a plain C++ compiler gets the emulator of
// tests/emulate. Tests put its folder on the include path, so kernel headers run in tests without a GPU.
// Kernel headers include this one and never cuda_runtime.h.
//
// Elements travel as raw bits (Storage); the tags F16, BF16, F32 and TF32 say what the bits mean. Two
// 16-bit elements share a std::uint32_t, the one at the lower address in the lower half.
#pragma once

#ifdef __CUDACC_RTC__
#include "kernels/ptx/without_toolkit.cuh"
#else
#include <cstdint>
#endif

#ifdef __CUDACC__

#ifndef __CUDACC_RTC__
#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <cuda_runtime.h>
#endif

#define KERNEL_DEVICE __device__ __forceinline__
#define KERNEL_OR_HOST __host__ __device__ __forceinline__  // callable from both
#define KERNEL_UNROLL _Pragma("unroll")
#define KERNEL_NO_UNROLL _Pragma("unroll 1")
// A variable in shared memory, and the memory whose size the launch gives, as an array of bytes.
#define KERNEL_SHARED(Type, name) __shared__ Type name
#define KERNEL_DYNAMIC_SHARED(name, alignment) \
  extern __shared__ __align__(alignment)       \
  unsigned char name[]

// Kernels on wgmma.cuh are templates whose body stands in `if constexpr (KERNEL_HAS_WGMMA)`: those
// instructions exist for sm_90a alone, and one source is compiled for every architecture of a build. Kernels
// on hopper.cuh stand in it, too, or in KERNEL_HAS_TMA.
#ifdef __CUDA_ARCH_FEAT_SM90_ALL
#define KERNEL_HAS_WGMMA 1
#else
#define KERNEL_HAS_WGMMA 0
#endif

#else

#include <emulate/cuda.h>

#define KERNEL_DEVICE inline
#define KERNEL_OR_HOST inline
#define KERNEL_UNROLL
#define KERNEL_NO_UNROLL
#define KERNEL_SHARED(Type, name) Type& name = ::emulate::static_shared<Type>([] {})
#define KERNEL_DYNAMIC_SHARED(name, alignment) \
  unsigned char* const name = ::emulate::dynamic_shared(alignment)
#define KERNEL_HAS_WGMMA 1

#endif

namespace ptx {

struct F16 {
  using Storage = std::uint16_t;
  static KERNEL_DEVICE float widen(std::uint16_t bits);
  static KERNEL_DEVICE std::uint16_t narrow(float value);  // to nearest, ties to even
  static KERNEL_DEVICE std::uint32_t narrow(float low, float high);
};

struct BF16 {
  using Storage = std::uint16_t;
  static KERNEL_DEVICE float widen(std::uint16_t bits);
  static KERNEL_DEVICE std::uint16_t narrow(float value);
  static KERNEL_DEVICE std::uint32_t narrow(float low, float high);
};

struct F32 {
  using Storage = float;
  static KERNEL_DEVICE float widen(float value) { return value; }
  static KERNEL_DEVICE float narrow(float value) { return value; }
};

// Stored as float32; the Tensor Cores see 10 bits of the mantissa.
struct TF32 {
  using Storage = float;
  static KERNEL_DEVICE float widen(float value) { return value; }
  static KERNEL_DEVICE float narrow(float value) { return value; }
};

#ifdef __CUDACC__

KERNEL_DEVICE float F16::widen(std::uint16_t bits) {
  return __half2float(__ushort_as_half(bits));
}
KERNEL_DEVICE std::uint16_t F16::narrow(float value) {
  return __half_as_ushort(__float2half_rn(value));
}
KERNEL_DEVICE std::uint32_t F16::narrow(float low, float high) {
  const __half2 pair = __floats2half2_rn(low, high);
  return *reinterpret_cast<const std::uint32_t*>(&pair);
}
KERNEL_DEVICE float BF16::widen(std::uint16_t bits) {
  return __bfloat162float(__ushort_as_bfloat16(bits));
}
KERNEL_DEVICE std::uint16_t BF16::narrow(float value) {
  return __bfloat16_as_ushort(__float2bfloat16_rn(value));
}
KERNEL_DEVICE std::uint32_t BF16::narrow(float low, float high) {
  const __nv_bfloat162 pair = __floats2bfloat162_rn(low, high);
  return *reinterpret_cast<const std::uint32_t*>(&pair);
}

// 2^x, flushing subnormal results to zero: one instruction.
KERNEL_DEVICE float exp2_approximate(float x) {
  float y;
  asm("ex2.approx.ftz.f32 %0, %1;" : "=f"(y) : "f"(x));
  return y;
}

// 1 / x: one instruction; infinity for subnormal numbers, and an error of at most 2^-23.
KERNEL_DEVICE float reciprocal_approximate(float x) {
  float y;
  asm("rcp.approx.ftz.f32 %0, %1;" : "=f"(y) : "f"(x));
  return y;
}

// tanh x: one instruction (compute capability 7.5); the largest relative error is 2^-11.
KERNEL_DEVICE float tanh_approximate(float x) {
  float y;
  asm("tanh.approx.f32 %0, %1;" : "=f"(y) : "f"(x));
  return y;
}

#else

inline float F16::widen(std::uint16_t bits) {
  return harness::sdk::float_from_f16(bits);
}
inline std::uint16_t F16::narrow(float value) {
  return harness::sdk::f16_from_float(value);
}
inline std::uint32_t F16::narrow(float low, float high) {
  return narrow(low) | static_cast<std::uint32_t>(narrow(high)) << 16;
}
inline float BF16::widen(std::uint16_t bits) {
  return harness::sdk::float_from_bf16(bits);
}
inline std::uint16_t BF16::narrow(float value) {
  return harness::sdk::bf16_from_float(value);
}
inline std::uint32_t BF16::narrow(float low, float high) {
  return narrow(low) | static_cast<std::uint32_t>(narrow(high)) << 16;
}

inline float exp2_approximate(float x) {
  const float y = std::exp2(x);
  return y < 0x1p-126F ? 0.0F : y;
}

inline float reciprocal_approximate(float x) {
  return 1 / x;
}

// To 10 bits of mantissa: an error as large as the hardware's may be.
inline float tanh_approximate(float x) {
  return std::bit_cast<float>((std::bit_cast<std::uint32_t>(std::tanh(x)) + 0x1000U) & 0xFFFFE000U);
}

#endif

}  // namespace ptx
