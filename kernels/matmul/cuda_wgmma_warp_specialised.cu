// matmul/wgmma_warp_specialised: the same with a producer and two consuming warpgroups, persistent.
// The algorithm is gemm/wgmma_specialised.cuh, with nothing done to the sums.
#include "kernels/gemm/wgmma_specialised.cuh"

#include "kernels/matmul/rungs/wgmma_kernel.cuh"

namespace matmul {
namespace {

class WgmmaWarpSpecialised final : public WgmmaKernel {
 public:
  WgmmaWarpSpecialised(const harness::sdk::Params& params, const harness::sdk::Problem&,
                       const harness::sdk::DeviceTraits& traits) {
    plan(shape_of(params), traits,
         [](auto element) { return gemm::wgmma_specialised_launch<decltype(element), gemm::PlainEpilogue>; });
  }
};

}  // namespace
}  // namespace matmul

HARNESS_VARIANT(matmul, wgmma_warp_specialised, cuda,
                "wgmma, one producer warp and two warpgroups of consumers, persistent",
                matmul::WgmmaWarpSpecialised)
