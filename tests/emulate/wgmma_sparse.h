// The emulator's counterparts of kernels/ptx/wgmma_sparse.cuh. The words of places are read when the product
// is issued; that they ascend among four neighbours is checked.
#pragma once

#include "kernels/ptx/wgmma_sparse.cuh"

namespace ptx {

template <class Element, int N>
struct WgmmaSparse {
  template <int Selector>
  static void shared(float (&d)[N / 2], std::uint64_t a, std::uint64_t b, std::uint32_t places,
                     int accumulate) {
    static_assert(N % 8 == 0 && N >= 8 && N <= 256 && (Selector == 0 || Selector == 1));
    emulate::Product product{Element::widen, N, 0, 0};
    product.selector = Selector;
    emulate::multiply_warpgroup(product, d, nullptr, a, b, accumulate, places);
  }
};

}  // namespace ptx
