// TmaProduct: the launch of a product whose operands the copy engine brings, for one problem, on the host:
// says why a device or a shape cannot have it, describes the matrices to the copy engine when the buffers are
// bound, and enqueues it. Owns nothing on the device; use from one thread at a time.
#pragma once

#include <limits>
#include <string>

#include "harness/sdk/variant.h"
#include "kernels/gemm/tma_ring.cuh"
#include "kernels/launch.cuh"
#include "kernels/product_shape.h"
#include "kernels/ptx/tensor_map.cuh"

namespace gemm {

template <class Element, class Epilogue>
class TmaProduct {
 public:
  // Plans a launch for (m, n, multiprocessors).
  using Plan = TmaLaunch<Element, Epilogue> (*)(std::int64_t, std::int64_t, int);

  // Throws Unsupported with the reason.
  TmaProduct(const kernels::ProductShape& shape, const harness::sdk::DeviceTraits& traits, Plan plan) {
    using harness::sdk::Unsupported;
    kernels::require_hopper(traits);
    constexpr int of_piece = 16 / static_cast<int>(sizeof(typename Element::Storage));
    if (shape.k % of_piece != 0 || shape.n % 8 != 0)
      throw Unsupported("the copy engine needs rows of whole 16 bytes: k must be a multiple of " +
                        std::to_string(of_piece) + ", n of 8");
    if (tiles_of(shape.m, 128) * tiles_of(shape.n, 64) > std::numeric_limits<int>::max())
      throw Unsupported("more tiles than one launch can hold");
    launch_ = plan(shape.m, shape.n, traits.multiprocessors);
    problem_.m = static_cast<int>(shape.m);
    problem_.n = static_cast<int>(shape.n);
    problem_.k = static_cast<int>(shape.k);
    kernels::allow_shared_memory(launch_.kernel, static_cast<std::size_t>(launch_.shared_bytes), traits);
  }

  void bind(const void* x, const void* w, void* y, const Epilogue& epilogue) {
    using Storage = typename Element::Storage;
    problem_.x = static_cast<const Storage*>(x);
    problem_.w = static_cast<const Storage*>(w);
    problem_.y = static_cast<typename ResultOf<Element>::Type::Storage*>(y);
    epilogue_ = epilogue;
    x_map_ = ptx::make_tensor_map<Element>(problem_.x, launch_.x_layout(problem_));
    w_map_ = ptx::make_tensor_map<Element>(problem_.w, launch_.w_layout(problem_));
  }

  void run(cudaStream_t stream) {
    launch_.kernel<<<static_cast<unsigned>(launch_.blocks), static_cast<unsigned>(launch_.threads),
                     static_cast<std::size_t>(launch_.shared_bytes), stream>>>(x_map_, w_map_, problem_,
                                                                               epilogue_);
    kernels::check(cudaGetLastError(), "launch of a product");
  }

 private:
  TmaLaunch<Element, Epilogue> launch_;
  Problem<Element> problem_;
  Epilogue epilogue_;
  ptx::TensorMap x_map_;
  ptx::TensorMap w_map_;
};

}  // namespace gemm
