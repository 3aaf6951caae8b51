// linear_gelu/wmma_fused: one kernel of our own on the Tensor Cores (mma.sync) whose epilogue adds the bias
// and applies GELU in registers. The product is that of gemm/run_mma.cuh, the epilogue gelu_epilogue.cuh.
#include "kernels/gemm/run_mma.cuh"
#include "kernels/linear_gelu/fused_kernel.cuh"

namespace linear_gelu {
namespace {

class WmmaFused final : public FusedKernel {
 public:
  WmmaFused(const harness::sdk::Params& params, const harness::sdk::Problem&,
            const harness::sdk::DeviceTraits& traits) {
    const Shape shape = shape_of(params);
    use(shape, [&](auto element, auto epilogue) {
      using Product = gemm::MmaProduct<decltype(element), decltype(epilogue)>;
      return std::make_shared<Product>(product_shape(shape), traits);
    });
  }
};

}  // namespace
}  // namespace linear_gelu

HARNESS_VARIANT(linear_gelu, wmma_fused, cuda, "own mma.sync kernel; bias and GELU in registers",
                linear_gelu::WmmaFused)
