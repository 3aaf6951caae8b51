// quant_gemm/cublaslt_e4m3: FP8 by cuBLASLt. With one scale for W, X has one scale, too, and the Tensor Cores
// add over all of k (fast accumulation). With blocks, the library promotes its sums every 128 of k.
#include "kernels/quant_gemm/library_kernel.cuh"

namespace quant_gemm {
namespace {

using harness::sdk::DType;

class CublasLtE4m3 final : public LibraryKernel {
 public:
  CublasLtE4m3(const harness::sdk::Params& params, const harness::sdk::Problem& problem,
               const harness::sdk::DeviceTraits& traits)
      : LibraryKernel(supported(require_product_of(shape_of(params), DType::e4m3)), DType::e4m3, DType::f16),
        of_workload_(problem.tolerance),
        x_(shape(), in_blocks() ? Sharing::group_of_k : Sharing::tensor, traits.multiprocessors) {
    if (in_blocks()) {
      // The library's first operand is W.
      product().set(CUBLASLT_MATMUL_DESC_A_SCALE_MODE,
                    std::int32_t{CUBLASLT_MATMUL_MATRIX_SCALE_BLK128x128_32F});
      product().set(CUBLASLT_MATMUL_DESC_B_SCALE_MODE, std::int32_t{CUBLASLT_MATMUL_MATRIX_SCALE_VEC128_32F});
    }
    product().set(CUBLASLT_MATMUL_DESC_FAST_ACCUM, fast_accumulation());
    // The library chooses by the presence of scales, whose addresses come later.
    set_scales(reinterpret_cast<const void*>(std::uintptr_t{256}),
               reinterpret_cast<const void*>(std::uintptr_t{256}));
    find_algorithms(in_blocks() ? "in FP8 with scales of blocks" : "in FP8");
  }

  [[nodiscard]] std::optional<harness::sdk::Tolerance> tolerance() const override {
    return tolerance_of_codes(shape(), of_workload_, loss_of_fast_sums(in_blocks() ? group : shape().k));
  }
  [[nodiscard]] std::optional<DType> multiplies() const override { return DType::e4m3; }
  [[nodiscard]] std::size_t workspace_bytes() const override {
    return kernels::library_workspace_bytes + x_.workspace_bytes();
  }

  void bind(const harness::sdk::Buffers& buffers) override {
    auto* const workspace = static_cast<unsigned char*>(buffers.workspace);
    x_.bind(buffers, workspace + kernels::library_workspace_bytes);
    set_scales(buffers.as<const void>(w_scales_index), x_.scales());
    product().bind(x_.codes(), buffers.as<void>(w_index), buffers.as<void>(y_index(shape())), workspace);
  }

  void run(harness::sdk::Stream stream) override {
    auto* const queue = static_cast<cudaStream_t>(stream.handle);
    x_.run(queue);
    product().run(queue);
  }

  void report(harness::sdk::MetricSink& sink) const override {
    LibraryKernel::report(sink);
    sink.report("fast_accumulation", fast_accumulation());
  }

 protected:
  void prepare() override {
    x_.run(nullptr);
    kernels::check(cudaDeviceSynchronize(), "cudaDeviceSynchronize");
  }

 private:
  static Shape supported(const Shape& shape) {
    if (shape.n % 16 != 0 || shape.k % 16 != 0)
      throw harness::sdk::Unsupported("cuBLASLt's products of FP8 need n and k that are multiples of 16");
    // A row of W's scales is padded to four of them in the library's order.
    if (shape.weights == Weights::e4m3_block && shape.groups_of_k() % 4 != 0)
      throw harness::sdk::Unsupported(
          "cuBLASLt pads the scales of W's blocks to four along k: ceil(k / 128) must be a multiple of 4");
    return shape;
  }
  void set_scales(const void* of_w, const void* of_x) {
    product().set(CUBLASLT_MATMUL_DESC_A_SCALE_POINTER, of_w);
    product().set(CUBLASLT_MATMUL_DESC_B_SCALE_POINTER, of_x);
  }
  [[nodiscard]] bool in_blocks() const { return shape().weights == Weights::e4m3_block; }
  [[nodiscard]] std::int8_t fast_accumulation() const { return in_blocks() ? 0 : 1; }

  harness::sdk::Tolerance of_workload_;
  QuantisedX<ptx::E4M3> x_;
};

}  // namespace
}  // namespace quant_gemm

HARNESS_VARIANT(quant_gemm, cublaslt_e4m3, cuda,
                "cuBLASLt in FP8 with a scale a tensor, or with scales of blocks", quant_gemm::CublasLtE4m3)
