// nvcuda::wmma, CUDA C++'s own door to the Tensor Cores, as far as kernels here use it: 16 x 16 x 16 products
// of F16 and BF16 with float32 sums. The layout of a fragment is unspecified. All threads of a warp call
// these together. The emulator's counterpart is in tests/emulate/wmma.h.
#pragma once

#include "kernels/ptx/device.cuh"

#ifndef __CUDACC__
#include <emulate/wmma.h>
#else

#include <mma.h>

namespace ptx {

template <class Element>
struct WmmaElement;
template <>
struct WmmaElement<F16> {
  using Type = __half;
};
template <>
struct WmmaElement<BF16> {
  using Type = __nv_bfloat16;
};

// Row-major operands; `stride` in elements, a multiple of 8; addresses multiples of 32 bytes.
template <class Element>
struct WmmaA {
  using Type = typename WmmaElement<Element>::Type;
  nvcuda::wmma::fragment<nvcuda::wmma::matrix_a, 16, 16, 16, Type, nvcuda::wmma::row_major> held;
  KERNEL_DEVICE void load(const std::uint16_t* from, int stride) {
    nvcuda::wmma::load_matrix_sync(held, reinterpret_cast<const Type*>(from), static_cast<unsigned>(stride));
  }
};

template <class Element>
struct WmmaB {
  using Type = typename WmmaElement<Element>::Type;
  nvcuda::wmma::fragment<nvcuda::wmma::matrix_b, 16, 16, 16, Type, nvcuda::wmma::row_major> held;
  KERNEL_DEVICE void load(const std::uint16_t* from, int stride) {
    nvcuda::wmma::load_matrix_sync(held, reinterpret_cast<const Type*>(from), static_cast<unsigned>(stride));
  }
};

struct WmmaSums {
  nvcuda::wmma::fragment<nvcuda::wmma::accumulator, 16, 16, 16, float> held;
  KERNEL_DEVICE void clear() { nvcuda::wmma::fill_fragment(held, 0.0F); }
  template <class Element>
  KERNEL_DEVICE void add(const WmmaA<Element>& a, const WmmaB<Element>& b) {
    nvcuda::wmma::mma_sync(held, a.held, b.held, held);
  }
  KERNEL_DEVICE void store(float* to, int stride) const {
    nvcuda::wmma::store_matrix_sync(to, held, static_cast<unsigned>(stride), nvcuda::wmma::mem_row_major);
  }
};

}  // namespace ptx

#endif
