// The emulator's counterparts of kernels/ptx/wgmma_8bit.cuh. Sums of E4M3 are those of float32: the bits that
// the hardware cuts off are not emulated.
#pragma once

#include "kernels/ptx/small.cuh"
#include "kernels/ptx/wgmma.cuh"

namespace emulate {

inline float widen_i8(std::uint16_t bits) {
  return static_cast<float>(static_cast<std::int8_t>(bits));
}
inline float widen_e4m3(std::uint16_t bits) {
  return static_cast<float>(
      harness::sdk::double_from_small(harness::sdk::e4m3_format, static_cast<std::uint8_t>(bits)));
}

}  // namespace emulate

namespace ptx {

template <int N>
struct Wgmma<I8, N> {
  template <Major OfA, Major OfB>
  static void shared(std::int32_t (&d)[N / 2], std::uint64_t a, std::uint64_t b, int accumulate) {
    static_assert(OfA == Major::k && OfB == Major::k);
    emulate::multiply_warpgroup({emulate::widen_i8, N, 0, 0, 1, true}, d, nullptr, a, b, accumulate);
  }
};

template <int N>
struct Wgmma<E4M3, N> {
  template <Major OfA, Major OfB>
  static void shared(float (&d)[N / 2], std::uint64_t a, std::uint64_t b, int accumulate) {
    static_assert(OfA == Major::k && OfB == Major::k);
    emulate::multiply_warpgroup({emulate::widen_e4m3, N, 0, 0, 1, false}, d, nullptr, a, b, accumulate);
  }
};

}  // namespace ptx
