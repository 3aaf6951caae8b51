// MmaProduct: the launch of a mma.sync product (mma_tile.cuh) for one problem, on the host: chooses the
// tiling, says why a device cannot run it, and enqueues it. Owns nothing on the device; use from one thread
// at a time.
#pragma once

#include <functional>
#include <limits>
#include <memory>
#include <string>

#include "harness/sdk/variant.h"
#include "kernels/cuda_check.cuh"
#include "kernels/gemm/mma_tile.cuh"
#include "kernels/product_shape.h"

namespace gemm {

template <class Element, class Epilogue>
class MmaProduct {
 public:
  // Throws Unsupported with the reason.
  MmaProduct(const kernels::ProductShape& shape, const harness::sdk::DeviceTraits& traits) {
    using harness::sdk::Unsupported;
    if (traits.compute_major < 8)
      throw Unsupported("needs compute capability 8.0 or newer; this device has " +
                        std::to_string(traits.compute_major) + "." + std::to_string(traits.compute_minor));
    launch_ = mma_launch<Element, Epilogue>(shape.m, shape.n, shape.k, traits.multiprocessors);
    if (static_cast<std::size_t>(launch_.shared_bytes) > traits.shared_memory_per_block)
      throw Unsupported("needs " + std::to_string(launch_.shared_bytes) +
                        " bytes of shared memory a block; this device has " +
                        std::to_string(traits.shared_memory_per_block));
    if (static_cast<std::int64_t>(launch_.tiles_down) * launch_.tiles_across >
        std::numeric_limits<int>::max())
      throw Unsupported("more tiles than one launch can hold");
    problem_.m = static_cast<int>(shape.m);
    problem_.n = static_cast<int>(shape.n);
    problem_.k = static_cast<int>(shape.k);
    kernels::check(cudaFuncSetAttribute(reinterpret_cast<const void*>(launch_.kernel),
                                        cudaFuncAttributeMaxDynamicSharedMemorySize, launch_.shared_bytes),
                   "cudaFuncSetAttribute");
  }

  void bind(const void* x, const void* w, void* y, const Epilogue& epilogue) {
    using Storage = typename Element::Storage;
    problem_.x = static_cast<const Storage*>(x);
    problem_.w = static_cast<const Storage*>(w);
    problem_.y = static_cast<Storage*>(y);
    epilogue_ = epilogue;
  }

  void run(cudaStream_t stream) {
    const auto blocks = static_cast<unsigned>(launch_.tiles_down * launch_.tiles_across);
    launch_.kernel<<<blocks, static_cast<unsigned>(launch_.threads),
                     static_cast<std::size_t>(launch_.shared_bytes), stream>>>(
        problem_, epilogue_, launch_.tiles_down, launch_.tiles_across);
    kernels::check(cudaGetLastError(), "launch of mma_kernel");
  }

 private:
  MmaLaunch<Element, Epilogue> launch_;
  Problem<Element> problem_;
  Epilogue epilogue_;
};

}  // namespace gemm
