// The part of the toolkit's headers that kernel headers use, for a kernel that is compiled at run time: NVRTC
// brings none, and the machine may have no toolkit. Included by device.cuh alone, and only by NVRTC.
#pragma once

namespace std {
using int8_t = signed char;
using uint8_t = unsigned char;
using int16_t = short;
using uint16_t = unsigned short;
using int32_t = int;
using uint32_t = unsigned int;
using int64_t = long long;
using uint64_t = unsigned long long;
template <class T>
inline constexpr bool has_unique_object_representations_v = __has_unique_object_representations(T);
}  // namespace std

// As <cuda.h> has it; only its address is used here.
struct alignas(64) CUtensorMap {
  unsigned long long opaque[16];
};

// Conversions of <cuda_fp16.h> and <cuda_bf16.h>, an instruction each.
struct __half2 {
  unsigned int bits;
};
struct __nv_bfloat162 {
  unsigned int bits;
};
struct __half {
  unsigned short bits;
};
struct __nv_bfloat16 {
  unsigned short bits;
};
__device__ __forceinline__ __half __ushort_as_half(unsigned short bits) {
  return {bits};
}
__device__ __forceinline__ unsigned short __half_as_ushort(__half value) {
  return value.bits;
}
__device__ __forceinline__ float __half2float(__half value) {
  float wide;
  asm("cvt.f32.f16 %0, %1;" : "=f"(wide) : "h"(value.bits));
  return wide;
}
__device__ __forceinline__ __half __float2half_rn(float value) {
  __half narrow;
  asm("cvt.rn.f16.f32 %0, %1;" : "=h"(narrow.bits) : "f"(value));
  return narrow;
}
__device__ __forceinline__ __half2 __floats2half2_rn(float low, float high) {
  __half2 pair;
  asm("cvt.rn.f16x2.f32 %0, %1, %2;" : "=r"(pair.bits) : "f"(high), "f"(low));
  return pair;
}
__device__ __forceinline__ __nv_bfloat16 __ushort_as_bfloat16(unsigned short bits) {
  return {bits};
}
__device__ __forceinline__ unsigned short __bfloat16_as_ushort(__nv_bfloat16 value) {
  return value.bits;
}
__device__ __forceinline__ float __bfloat162float(__nv_bfloat16 value) {
  return __uint_as_float(static_cast<unsigned int>(value.bits) << 16);
}
__device__ __forceinline__ __nv_bfloat16 __float2bfloat16_rn(float value) {
  __nv_bfloat16 narrow;
  asm("cvt.rn.bf16.f32 %0, %1;" : "=h"(narrow.bits) : "f"(value));
  return narrow;
}
__device__ __forceinline__ __nv_bfloat162 __floats2bfloat162_rn(float low, float high) {
  __nv_bfloat162 pair;
  asm("cvt.rn.bf16x2.f32 %0, %1, %2;" : "=r"(pair.bits) : "f"(high), "f"(low));
  return pair;
}
