// Elements of 8 bits and the arithmetic that unpacks small integers: int8, E4M3 and E5M2 with their
// conversions, pairs of halves in a register, bytes of two registers, and loads and stores of what is used
// once. The emulator's counterparts are in tests/emulate/small.h.
#pragma once

#include "kernels/ptx/mma.cuh"

namespace ptx {

// Whole numbers from -127 to 127; -128 stays unused.
struct I8 {
  using Storage = std::int8_t;
  static constexpr float largest = 127.0F;
  static KERNEL_DEVICE std::int8_t narrow(float value);  // to nearest, ties to even; saturates
};

// FP8 with 4 bits of exponent and 3 of mantissa.
struct E4M3 {
  using Storage = std::uint8_t;
  static constexpr float largest = 448.0F;
  static KERNEL_DEVICE std::uint8_t narrow(float value);
  static KERNEL_DEVICE std::uint16_t narrow(float low, float high);
};

// FP8 with 5 bits of exponent and 2 of mantissa.
struct E5M2 {
  using Storage = std::uint8_t;
  static constexpr float largest = 57344.0F;
  static KERNEL_DEVICE std::uint8_t narrow(float value);
  static KERNEL_DEVICE std::uint16_t narrow(float low, float high);
};

}  // namespace ptx

#ifndef __CUDACC__
#include <emulate/small.h>
#else

#ifndef __CUDACC_RTC__
#include <cuda_fp8.h>
#endif

namespace ptx {

KERNEL_DEVICE std::int8_t I8::narrow(float value) {
  const int rounded = __float2int_rn(value);
  return static_cast<std::int8_t>(rounded > 127 ? 127 : rounded < -127 ? -127 : rounded);
}
#ifndef __CUDACC_RTC__  // which has no header of the toolkit
KERNEL_DEVICE std::uint8_t E4M3::narrow(float value) {
  return __nv_cvt_float_to_fp8(value, __NV_SATFINITE, __NV_E4M3);
}
KERNEL_DEVICE std::uint8_t E5M2::narrow(float value) {
  return __nv_cvt_float_to_fp8(value, __NV_SATFINITE, __NV_E5M2);
}
KERNEL_DEVICE std::uint16_t E4M3::narrow(float low, float high) {
  return __nv_cvt_float2_to_fp8x2(make_float2(low, high), __NV_SATFINITE, __NV_E4M3);
}
KERNEL_DEVICE std::uint16_t E5M2::narrow(float low, float high) {
  return __nv_cvt_float2_to_fp8x2(make_float2(low, high), __NV_SATFINITE, __NV_E5M2);
}
#endif

// From here on the compiler no longer knows what it has made of these bits: it keeps them, and makes it
// again.
KERNEL_DEVICE void forget(std::uint32_t& bits) {
  asm volatile("" : "+r"(bits));
}

// Byte i of the result is byte (selector >> 4 i & 7) of the eight bytes low, high.
KERNEL_DEVICE std::uint32_t select_bytes(std::uint32_t low, std::uint32_t high, std::uint32_t selector) {
  return __byte_perm(low, high, selector);
}

// (a & mask) ^ bits: one instruction. Left to the compiler it becomes two, each with one of the constants.
KERNEL_DEVICE std::uint32_t and_xor(std::uint32_t a, std::uint32_t mask, std::uint32_t bits) {
  std::uint32_t result;
  asm("lop3.b32 %0, %1, %2, %3, 0x6A;" : "=r"(result) : "r"(a), "r"(mask), "r"(bits));
  return result;
}

// Two halves a register: a + b, and a b + c, each rounded once.
KERNEL_DEVICE std::uint32_t add_halves(std::uint32_t a, std::uint32_t b) {
  std::uint32_t sum;
  asm("add.f16x2 %0, %1, %2;" : "=r"(sum) : "r"(a), "r"(b));
  return sum;
}
KERNEL_DEVICE std::uint32_t multiply_add_halves(std::uint32_t a, std::uint32_t b, std::uint32_t c) {
  std::uint32_t sum;
  asm("fma.rn.f16x2 %0, %1, %2, %3;" : "=r"(sum) : "r"(a), "r"(b), "r"(c));
  return sum;
}

// Sixteen bytes that no thread of the launch reads again or writes: past the L1 cache. The address is a
// multiple of 16.
KERNEL_DEVICE uint4 load_once(const void* from) {
  uint4 to;
  asm("ld.global.nc.L1::no_allocate.L2::256B.v4.u32 {%0, %1, %2, %3}, [%4];"
      : "=r"(to.x), "=r"(to.y), "=r"(to.z), "=r"(to.w)
      : "l"(__cvta_generic_to_global(from)));
  return to;
}

// Sixteen bytes. The address is a multiple of 16.
KERNEL_DEVICE void store_sixteen(void* to, uint4 from) {
  asm volatile("st.global.v4.u32 [%0], {%1, %2, %3, %4};" ::"l"(__cvta_generic_to_global(to)), "r"(from.x),
               "r"(from.y), "r"(from.z), "r"(from.w)
               : "memory");
}

}  // namespace ptx

#endif
