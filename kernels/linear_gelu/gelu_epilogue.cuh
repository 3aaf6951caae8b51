// GELU on the device, and the epilogue by which a matrix product of our own adds the bias and applies it
// while the sums are in registers (gemm/tiles.cuh says what an epilogue is). No state.
#pragma once

#include "kernels/linear_gelu/linear_gelu.h"
#include "kernels/ptx/device.cuh"

namespace linear_gelu {

// GELU of a float32. The tanh form is written as x / (1 + e^-2u), exact algebra, because the hardware has
// an exponential: its relative error is about 1e-6, far below what a 16-bit result can hold.
template <Gelu Form>
KERNEL_DEVICE float gelu_of(float x) {
  if constexpr (Form == Gelu::erf_form) {
    return 0.5F * x * (1.0F + erff(x * 0.707106781F));
  } else {
    const float u = 0.797884561F * (x + 0.044715F * x * x * x);
    return __fdividef(x, 1.0F + __expf(-2.0F * u));
  }
}

template <class Element, Gelu Form>
struct GeluEpilogue {
  const typename Element::Storage* bias = nullptr;

  KERNEL_DEVICE float of_column(int column) const { return Element::widen(bias[column]); }
  KERNEL_DEVICE float finish(float sum, float of_column) const { return gelu_of<Form>(sum + of_column); }
};

}  // namespace linear_gelu
