// linear_gelu/wgmma_fused: the same on Hopper's Tensor Cores: wgmma with specialised warps, whose consumers
// add the bias and apply GELU in registers. The product is gemm/wgmma_specialised.cuh.
#include "kernels/gemm/run_tma.cuh"
#include "kernels/gemm/wgmma_specialised.cuh"
#include "kernels/linear_gelu/fused_kernel.cuh"

namespace linear_gelu {
namespace {

class WgmmaFused final : public FusedKernel {
 public:
  WgmmaFused(const harness::sdk::Params& params, const harness::sdk::Problem&,
             const harness::sdk::DeviceTraits& traits) {
    const Shape shape = shape_of(params);
    use(shape, [&](auto element, auto epilogue) {
      using Element = decltype(element);
      using Epilogue = decltype(epilogue);
      return std::make_shared<gemm::TmaProduct<Element, Epilogue>>(
          product_shape(shape), traits, gemm::wgmma_specialised_launch<Element, Epilogue>);
    });
  }
};

}  // namespace
}  // namespace linear_gelu

HARNESS_VARIANT(linear_gelu, wgmma_fused, cuda, "own wgmma kernel; bias and GELU in registers",
                linear_gelu::WgmmaFused)
