// rms_norm_linear/fused: one kernel on wgmma. The gain is applied to X in shared memory, where its squares
// are added up on the way, and a row's factor to the sums in registers.
#include <functional>
#include <memory>

#include "harness/sdk/registry.h"
#include "kernels/gemm/run_tma.cuh"
#include "kernels/operators/rms_norm_linear/norm_epilogue.cuh"
#include "kernels/operators/rms_norm_linear/rms_norm_linear.h"
#include "kernels/product_work.h"

namespace operators::rms_norm_linear {
namespace {

class FusedNormLinear final : public harness::sdk::Kernel {
 public:
  FusedNormLinear(const harness::sdk::Params& params, const harness::sdk::Problem&,
                  const harness::sdk::DeviceTraits& traits) {
    const kernels::ProductShape shape = kernels::require_half_extents(shape_of(params));
    if (shape.dtype == harness::sdk::DType::f16)
      use<ptx::F16>(shape, traits);
    else
      use<ptx::BF16>(shape, traits);
  }

  void bind(const harness::sdk::Buffers& buffers) override { bind_(buffers); }
  void run(harness::sdk::Stream stream) override { run_(static_cast<cudaStream_t>(stream.handle)); }

 private:
  template <class Element>
  void use(const kernels::ProductShape& shape, const harness::sdk::DeviceTraits& traits) {
    using Epilogue = NormEpilogue<Element>;
    auto product = std::make_shared<gemm::TmaProduct<Element, Epilogue>>(
        shape, traits, gemm::wgmma_specialised_launch<Element, Epilogue>);
    bind_ = [product](const harness::sdk::Buffers& buffers) {
      product->bind(buffers.as<void>(x_index), buffers.as<void>(w_index), buffers.as<void>(y_index),
                    {buffers.as<typename Element::Storage>(gain_index)});
    };
    run_ = [product](cudaStream_t stream) { product->run(stream); };
  }

  std::function<void(const harness::sdk::Buffers&)> bind_;
  std::function<void(cudaStream_t)> run_;
};

}  // namespace
}  // namespace operators::rms_norm_linear

HARNESS_VARIANT(rms_norm_linear, fused, cuda, "own wgmma kernel; gain on X in shared memory, factors on sums",
                operators::rms_norm_linear::FusedNormLinear)
