// WgmmaKernel: a product on wgmma (kernels/gemm) as a variant of matmul. The variant names the launch it
// wants.
#pragma once

#include "kernels/gemm/run_tma.cuh"
#include "kernels/matmul/rungs/run_rung.cuh"

namespace matmul {

class WgmmaKernel : public harness::sdk::Kernel {
 public:
  void bind(const harness::sdk::Buffers& buffers) override { bind_(buffers); }
  void run(harness::sdk::Stream stream) override { run_(static_cast<cudaStream_t>(stream.handle)); }

 protected:
  // launch_of(Element{}) is the plan for elements of that type.
  template <class LaunchOf>
  void plan(const Shape& shape, const harness::sdk::DeviceTraits& traits, LaunchOf launch_of) {
    require_32_bit_extents(shape);
    with_element<ptx::F16, ptx::BF16>(
        shape,
        "this rung multiplies f16 and bf16; wgmma reads tf32 only where k is contiguous, and B's rows are n",
        [&](auto element) {
          using Product = gemm::TmaProduct<decltype(element), gemm::PlainEpilogue>;
          auto product = std::make_shared<Product>(product_shape(shape), traits, launch_of(element));
          bind_ = [product](const harness::sdk::Buffers& buffers) {
            product->bind(buffers.as<void>(a_index), buffers.as<void>(b_index), buffers.as<void>(c_index),
                          {});
          };
          run_ = [product](cudaStream_t stream) { product->run(stream); };
        });
  }

 private:
  std::function<void(const harness::sdk::Buffers&)> bind_;
  std::function<void(cudaStream_t)> run_;
};

}  // namespace matmul
