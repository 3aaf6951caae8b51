// quant_gemm/wgmma_e4m3: FP8 on wgmma with specialised warps. With one scale for W, the Tensor Cores add over
// all of k (fast accumulation), and X that is rounded in the call has a scale for each token. With blocks,
// sums are scaled and promoted to float32 every 128 of k. The product is gemm/wgmma_specialised.cuh.
#include <memory>

#include "kernels/gemm/run_tma.cuh"
#include "kernels/gemm/wgmma_8bit.cuh"
#include "kernels/quant_gemm/quantised_x.cuh"
#include "kernels/quant_gemm/scaled_epilogues.cuh"

namespace quant_gemm {
namespace {

using harness::sdk::DType;

class WgmmaE4m3 final : public harness::sdk::Kernel {
 public:
  WgmmaE4m3(const harness::sdk::Params& params, const harness::sdk::Problem& problem,
            const harness::sdk::DeviceTraits& traits)
      : shape_(require_product_of(require_launchable(shape_of(params)), DType::e4m3)),
        of_workload_(problem.tolerance),
        x_(shape_, in_blocks() ? Sharing::group_of_k : Sharing::token, traits.multiprocessors) {
    const kernels::ProductShape product{DType::e4m3, shape_.m, shape_.n, shape_.k};
    if (in_blocks())
      of_blocks_ = std::make_unique<Product<BlockEpilogue>>(
          product, traits, gemm::wgmma_specialised_launch<ptx::E4M3, BlockEpilogue>);
    else
      of_tensor_ = std::make_unique<Product<ScaledEpilogue>>(
          product, traits, gemm::wgmma_specialised_launch<ptx::E4M3, ScaledEpilogue>);
  }

  [[nodiscard]] std::optional<harness::sdk::Tolerance> tolerance() const override {
    return tolerance_of_codes(shape_, of_workload_, loss_of_fast_sums(in_blocks() ? group : shape_.k));
  }
  [[nodiscard]] std::optional<DType> multiplies() const override { return DType::e4m3; }
  [[nodiscard]] std::size_t workspace_bytes() const override { return x_.workspace_bytes(); }

  void bind(const harness::sdk::Buffers& buffers) override {
    x_.bind(buffers, static_cast<unsigned char*>(buffers.workspace));
    void* const w = buffers.as<void>(w_index);
    void* const y = buffers.as<void>(y_index(shape_));
    const float* const w_scales = buffers.as<const float>(w_scales_index);
    if (in_blocks())
      of_blocks_->bind(
          x_.codes(), w, y,
          {x_.scales(), w_scales, static_cast<int>(shape_.m), static_cast<int>(shape_.groups_of_k())});
    else
      of_tensor_->bind(x_.codes(), w, y, {x_.scales(), w_scales, x_.step(), 0});
  }

  void run(harness::sdk::Stream stream) override {
    auto* const queue = static_cast<cudaStream_t>(stream.handle);
    x_.run(queue);
    if (in_blocks())
      of_blocks_->run(queue);
    else
      of_tensor_->run(queue);
  }

  void report(harness::sdk::MetricSink& sink) const override {
    sink.report("fast_accumulation", in_blocks() ? 0 : 1);
  }

 private:
  template <class Epilogue>
  using Product = gemm::TmaProduct<ptx::E4M3, Epilogue>;

  [[nodiscard]] bool in_blocks() const { return shape_.weights == Weights::e4m3_block; }

  Shape shape_;
  harness::sdk::Tolerance of_workload_;
  QuantisedX<ptx::E4M3> x_;
  std::unique_ptr<Product<ScaledEpilogue>> of_tensor_;
  std::unique_ptr<Product<BlockEpilogue>> of_blocks_;
};

}  // namespace
}  // namespace quant_gemm

HARNESS_VARIANT(quant_gemm, wgmma_e4m3, cuda,
                "own wgmma kernel in FP8; scales in registers, of blocks every 128 of k",
                quant_gemm::WgmmaE4m3)
