// The emulator's counterpart of kernels/ptx/wmma.cuh. CUDA leaves the layout of a fragment open: here lane t
// holds the eight elements from 8t on of a 16 x 16 matrix in row-major order.
#pragma once

#include "kernels/ptx/device.cuh"

namespace emulate {

// Lane t's eight elements of a 16 x 16 matrix whose rows lie `stride` elements apart.
template <class T, class U>
void copy_fragment(T (&held)[8], U* matrix, int stride, bool to_matrix) {
  const int lane = thread().lane();
  block().meet_warp(to_matrix ? "wmma store" : "wmma load", 0xFFFFFFFF, nullptr, [](auto) {});
  for (int i = 0; i < 8; ++i) {
    auto& element = matrix[(lane * 8 + i) / 16 * stride + (lane * 8 + i) % 16];
    if constexpr (std::is_const_v<U>)
      held[i] = element;
    else
      element = held[i];
  }
  block().meet_warp("wmma", 0xFFFFFFFF, nullptr, [](auto) {});
}

struct WmmaOperands {
  const std::uint16_t* a;
  const std::uint16_t* b;
  float* sums;
};
void multiply_wmma(float (*widen)(std::uint16_t), WmmaOperands mine);

}  // namespace emulate

namespace ptx {

template <class Element>
struct WmmaA {
  std::uint16_t held[8];
  void load(const std::uint16_t* from, int stride) { emulate::copy_fragment(held, from, stride, false); }
};

template <class Element>
struct WmmaB {
  std::uint16_t held[8];
  void load(const std::uint16_t* from, int stride) { emulate::copy_fragment(held, from, stride, false); }
};

struct WmmaSums {
  float held[8];
  void clear() { std::fill(held, held + 8, 0.0F); }
  template <class Element>
  void add(const WmmaA<Element>& a, const WmmaB<Element>& b) {
    emulate::multiply_wmma(Element::widen, {a.held, b.held, held});
  }
  void store(float* to, int stride) { emulate::copy_fragment(held, to, stride, true); }
};

}  // namespace ptx
