// MmaProduct: the launch of a mma.sync product for one problem, on the host: chooses the kernel and its
// tiling, says why a device cannot run it, and enqueues it. The kernel is that of mma_tma.cuh where the
// device has a copy engine, rows are whole pieces of 16 bytes, and tiles are many. Else it is that of
// mma_tile.cuh. Owns nothing on the device; use from one thread at a time.
#pragma once

#include <functional>
#include <limits>
#include <memory>
#include <optional>
#include <string>

#include "harness/sdk/variant.h"
#include "kernels/gemm/mma_tile.cuh"
#include "kernels/gemm/mma_tma.cuh"
#include "kernels/gemm/run_tma.cuh"
#include "kernels/launch.cuh"
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
    if (takes_tma(shape, traits)) {
      copied_.emplace(shape, traits, mma_tma_launch<Element, Epilogue>);
      return;
    }
    launch_ = mma_launch<Element, Epilogue>(shape.m, shape.n, shape.k, traits.multiprocessors);
    if (static_cast<std::int64_t>(launch_.tiles_down) * launch_.tiles_across >
        std::numeric_limits<int>::max())
      throw Unsupported("more tiles than one launch can hold");
    problem_.m = static_cast<int>(shape.m);
    problem_.n = static_cast<int>(shape.n);
    problem_.k = static_cast<int>(shape.k);
    kernels::allow_shared_memory(launch_.kernel, static_cast<std::size_t>(launch_.shared_bytes), traits);
  }

  void bind(const void* x, const void* w, void* y, const Epilogue& epilogue) {
    if (copied_) return copied_->bind(x, w, y, epilogue);
    using Storage = typename Element::Storage;
    problem_.x = static_cast<const Storage*>(x);
    problem_.w = static_cast<const Storage*>(w);
    problem_.y = static_cast<Storage*>(y);
    epilogue_ = epilogue;
  }

  void run(cudaStream_t stream) {
    if (copied_) return copied_->run(stream);
    const auto blocks = static_cast<unsigned>(launch_.tiles_down * launch_.tiles_across);
    launch_.kernel<<<blocks, static_cast<unsigned>(launch_.threads),
                     static_cast<std::size_t>(launch_.shared_bytes), stream>>>(
        problem_, epilogue_, launch_.tiles_down, launch_.tiles_across);
    kernels::check(cudaGetLastError(), "launch of mma_kernel");
  }

 private:
  static bool takes_tma(const kernels::ProductShape& shape, const harness::sdk::DeviceTraits& traits) {
    return KERNEL_HAS_TMA && traits.compute_major == 9 && traits.compute_minor == 0 && shape.k % 8 == 0 &&
           shape.n % 8 == 0 && fills_with_tma(shape.m, shape.n, traits.multiprocessors);
  }

  std::optional<TmaProduct<Element, Epilogue>> copied_;
  MmaLaunch<Element, Epilogue> launch_;
  Problem<Element> problem_;
  Epilogue epilogue_;
};

}  // namespace gemm
