// The emulator's counterparts of kernels/ptx/small.cuh. The halves are computed in float32 and rounded once.
#pragma once

#include "kernels/ptx/mma.cuh"

namespace emulate {

std::uint32_t bytes_of_two(std::uint32_t low, std::uint32_t high, std::uint32_t selector);
uint4 load_sixteen(const void* from);
void store_sixteen(void* to, uint4 from);

}  // namespace emulate

namespace ptx {

inline std::int8_t I8::narrow(float value) {
  return static_cast<std::int8_t>(harness::sdk::whole_from_double(static_cast<double>(value), -127, 127));
}
inline std::uint8_t E4M3::narrow(float value) {
  return harness::sdk::small_from_double(harness::sdk::e4m3_format, static_cast<double>(value));
}
inline std::uint8_t E5M2::narrow(float value) {
  return harness::sdk::small_from_double(harness::sdk::e5m2_format, static_cast<double>(value));
}
inline std::uint16_t E4M3::narrow(float low, float high) {
  return static_cast<std::uint16_t>(narrow(low) | narrow(high) << 8);
}
inline std::uint16_t E5M2::narrow(float low, float high) {
  return static_cast<std::uint16_t>(narrow(low) | narrow(high) << 8);
}

inline void forget(std::uint32_t&) {}
inline std::uint32_t select_bytes(std::uint32_t low, std::uint32_t high, std::uint32_t selector) {
  return emulate::bytes_of_two(low, high, selector);
}
inline std::uint32_t and_xor(std::uint32_t a, std::uint32_t mask, std::uint32_t bits) {
  return (a & mask) ^ bits;
}
inline std::uint32_t multiply_add_halves(std::uint32_t a, std::uint32_t b, std::uint32_t c) {
  const auto half = [](std::uint32_t pair, int which) {
    return static_cast<double>(F16::widen(static_cast<std::uint16_t>(pair >> (16 * which))));
  };
  const auto part = [&](int which) {
    return static_cast<float>(half(a, which) * half(b, which) + half(c, which));
  };
  return F16::narrow(part(0), part(1));
}
inline std::uint32_t add_halves(std::uint32_t a, std::uint32_t b) {
  return multiply_add_halves(a, 0x3C003C00U, b);
}
inline uint4 load_once(const void* from) {
  return emulate::load_sixteen(from);
}
inline void store_sixteen(void* to, uint4 from) {
  emulate::store_sixteen(to, from);
}

}  // namespace ptx
