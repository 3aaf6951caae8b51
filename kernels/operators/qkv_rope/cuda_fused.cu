// qkv_rope/fused: one kernel on wgmma, which turns pairs of Y on their way from shared memory to Y.
#include <functional>
#include <memory>

#include "harness/sdk/registry.h"
#include "kernels/gemm/run_tma.cuh"
#include "kernels/operators/qkv_rope/qkv_rope.h"
#include "kernels/operators/qkv_rope/turn_kernel.cuh"
#include "kernels/product_work.h"

namespace operators::qkv_rope {
namespace {

class FusedRope final : public harness::sdk::Kernel {
 public:
  FusedRope(const harness::sdk::Params& params, const harness::sdk::Problem&,
            const harness::sdk::DeviceTraits& traits) {
    const Shape shape = shape_of(params);
    if (kernels::require_half_extents(shape.product).dtype == harness::sdk::DType::f16)
      use<ptx::F16>(shape, traits);
    else
      use<ptx::BF16>(shape, traits);
  }

  void bind(const harness::sdk::Buffers& buffers) override { bind_(buffers); }
  void run(harness::sdk::Stream stream) override { run_(static_cast<cudaStream_t>(stream.handle)); }

 private:
  template <class Element>
  void use(const Shape& shape, const harness::sdk::DeviceTraits& traits) {
    using Epilogue = TurnEpilogue<Element>;
    auto product = std::make_shared<gemm::TmaProduct<Element, Epilogue>>(
        shape.product, traits, gemm::wgmma_specialised_launch<Element, Epilogue>);
    bind_ = [product, shape](const harness::sdk::Buffers& buffers) {
      product->bind(buffers.as<void>(x_index), buffers.as<void>(w_index), buffers.as<void>(y_index),
                    {shape.turns(buffers.as<float>(turns_index))});
    };
    run_ = [product](cudaStream_t stream) { product->run(stream); };
  }

  std::function<void(const harness::sdk::Buffers&)> bind_;
  std::function<void(cudaStream_t)> run_;
};

}  // namespace
}  // namespace operators::qkv_rope

HARNESS_VARIANT(qkv_rope, fused, cuda, "own wgmma kernel; pairs turn before Y is first written",
                operators::qkv_rope::FusedRope)
