// The emulator's counterparts of kernels/ptx/wgmma.cuh, after the PTX ISA: "wgmma.mma_async" with its
// register fragments and matrix descriptors. Landing late, a product reads shared memory and its accumulators
// when it is waited for; registers of A are read when it is issued.
#pragma once

#include "kernels/ptx/wgmma.cuh"

namespace emulate {

struct Product {
  Widen widen;  // of the bits of an element
  int n;
  int a_major;
  int b_major;
  int element_bytes = 2;
  bool whole = false;  // sums in int32
  int selector = -1;   // 0 or 1: A is sparse, and these threads of four give the places of its elements
};

// One warpgroup product; `a_registers` null when A is in shared memory too. `d`: float or std::int32_t.
void multiply_warpgroup(const Product& product, void* d, const std::uint32_t* a_registers, std::uint64_t a,
                        std::uint64_t b, int accumulate, std::uint32_t places = 0);
void commit_products();
void wait_for_products(int pending);

}  // namespace emulate

namespace ptx {

inline void wgmma_fence() {
  emulate::thread().fenced = true;
}
inline void wgmma_commit() {
  emulate::commit_products();
}
template <int Pending>
void wgmma_wait() {
  emulate::wait_for_products(Pending);
}
template <int Count>
void wgmma_pin(float (&)[Count]) {}
template <int Count>
void wgmma_pin(std::int32_t (&)[Count]) {}
template <int Count>
void wgmma_pin(std::uint32_t (&)[Count][4]) {}

template <class Element, int N>
struct Wgmma {
  static_assert(N % 8 == 0 && N >= 8 && N <= 256);

  template <Major OfA, Major OfB>
  static void shared(float (&d)[N / 2], std::uint64_t a, std::uint64_t b, int accumulate) {
    emulate::multiply_warpgroup({Element::widen, N, static_cast<int>(OfA), static_cast<int>(OfB)}, d, nullptr,
                                a, b, accumulate);
  }
  template <Major OfB>
  static void registers(float (&d)[N / 2], const std::uint32_t (&a)[4], std::uint64_t b, int accumulate) {
    emulate::multiply_warpgroup({Element::widen, N, 0, static_cast<int>(OfB)}, d, a, 0, b, accumulate);
  }
};

}  // namespace ptx
