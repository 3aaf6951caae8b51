// matmul/wgmma_tma: Hopper's Tensor Cores (wgmma) fed by its copy engine, without specialised warps.
// The algorithm is gemm/wgmma_tma.cuh, with nothing done to the sums.
#include "kernels/gemm/wgmma_tma.cuh"

#include "kernels/matmul/rungs/wgmma_kernel.cuh"

namespace matmul {
namespace {

class WgmmaTma final : public WgmmaKernel {
 public:
  WgmmaTma(const harness::sdk::Params& params, const harness::sdk::Problem&,
           const harness::sdk::DeviceTraits& traits) {
    plan(shape_of(params), traits,
         [](auto element) { return gemm::wgmma_tma_launch<decltype(element), gemm::PlainEpilogue>; });
  }
};

}  // namespace
}  // namespace matmul

HARNESS_VARIANT(matmul, wgmma_tma, cuda, "wgmma fed by the copy engine (TMA), every warp alike",
                matmul::WgmmaTma)
