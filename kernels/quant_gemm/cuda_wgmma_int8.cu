// quant_gemm/wgmma_int8: int8 by int8 into int32 on wgmma with specialised warps, scaled by token and channel
// in registers. The product is gemm/wgmma_specialised.cuh.
#include "kernels/gemm/run_tma.cuh"
#include "kernels/gemm/wgmma_8bit.cuh"
#include "kernels/quant_gemm/quantised_x.cuh"
#include "kernels/quant_gemm/scaled_epilogues.cuh"

namespace quant_gemm {
namespace {

using harness::sdk::DType;

class WgmmaInt8 final : public harness::sdk::Kernel {
 public:
  WgmmaInt8(const harness::sdk::Params& params, const harness::sdk::Problem& problem,
            const harness::sdk::DeviceTraits& traits)
      : shape_(require_product_of(require_launchable(shape_of(params)), DType::i8)),
        of_workload_(problem.tolerance),
        x_(shape_, Sharing::token, traits.multiprocessors),
        product_({DType::i8, shape_.m, shape_.n, shape_.k}, traits,
                 gemm::wgmma_specialised_launch<ptx::I8, ScaledEpilogue>) {}

  [[nodiscard]] std::optional<harness::sdk::Tolerance> tolerance() const override {
    return tolerance_of_codes(shape_, of_workload_);
  }
  [[nodiscard]] std::optional<DType> multiplies() const override { return DType::i8; }
  [[nodiscard]] std::size_t workspace_bytes() const override { return x_.workspace_bytes(); }

  void bind(const harness::sdk::Buffers& buffers) override {
    x_.bind(buffers, static_cast<unsigned char*>(buffers.workspace));
    product_.bind(x_.codes(), buffers.as<void>(w_index), buffers.as<void>(y_index(shape_)),
                  {x_.scales(), buffers.as<const float>(w_scales_index), x_.step(), 1});
  }

  void run(harness::sdk::Stream stream) override {
    auto* const queue = static_cast<cudaStream_t>(stream.handle);
    x_.run(queue);
    product_.run(queue);
  }

 private:
  Shape shape_;
  harness::sdk::Tolerance of_workload_;
  QuantisedX<ptx::I8> x_;
  gemm::TmaProduct<ptx::I8, ScaledEpilogue> product_;
};

}  // namespace
}  // namespace quant_gemm

HARNESS_VARIANT(quant_gemm, wgmma_int8, cuda,
                "own wgmma kernel in INT8, scaled by token and channel in registers", quant_gemm::WgmmaInt8)
