// GELU on the device, and the epilogue of our own matrix products: it adds the bias and applies GELU while
// the sums are in registers (see gemm/tiles.cuh). No state.
#pragma once

#include <type_traits>

#include "kernels/linear_gelu/gelu.h"
#include "kernels/ptx/device.cuh"

namespace linear_gelu {

// GELU of a float32. The tanh form takes the hardware's tanh, whose relative error is at most 2^-11. Where
// that would show, tanh is near 1 and the result x (1 + tanh) / 2 halves it: to what rounding to float16
// costs.
template <Gelu Form>
KERNEL_DEVICE float gelu_of(float x) {
  if constexpr (Form == Gelu::erf_form) {
    return 0.5F * x * (1.0F + erff(x * 0.707106781F));
  } else {
    const float u = x * (0.797884561F + 0.797884561F * 0.044715F * (x * x));
    const float half = 0.5F * x;
    return half + half * ptx::tanh_approximate(u);
  }
}

template <class Element, Gelu Form>
struct GeluEpilogue {
  using Pair = std::uint32_t;  // two elements of the bias
  const typename Element::Storage* bias = nullptr;

  KERNEL_DEVICE Pair of_pair(int column) const { return *reinterpret_cast<const Pair*>(bias + column); }
  static KERNEL_DEVICE float low(Pair pair) { return Element::widen(static_cast<std::uint16_t>(pair)); }
  static KERNEL_DEVICE float high(Pair pair) {
    return Element::widen(static_cast<std::uint16_t>(pair >> 16));
  }
  KERNEL_DEVICE float of_column(int column) const { return Element::widen(bias[column]); }
  KERNEL_DEVICE float finish(float sum, float of_column) const { return gelu_of<Form>(sum + of_column); }
};

static_assert(std::has_unique_object_representations_v<GeluEpilogue<ptx::F16, Gelu::erf_form>>);

}  // namespace linear_gelu
