// quant_gemm/cublaslt_int8: int8 by int8 into int32 by cuBLASLt, whose sums a kernel of our own scales by
// token and channel and rounds to f16. The library cannot do that in its epilogue: its int32 sums leave it as
// they are or as int8.
#include "kernels/quant_gemm/library_kernel.cuh"

namespace quant_gemm {
namespace {

using harness::sdk::DType;

class CublasLtInt8 final : public LibraryKernel {
 public:
  CublasLtInt8(const harness::sdk::Params& params, const harness::sdk::Problem& problem,
               const harness::sdk::DeviceTraits& traits)
      : LibraryKernel(aligned(require_product_of(shape_of(params), DType::i8)), DType::i8, DType::i32,
                      CUBLAS_COMPUTE_32I),
        of_workload_(problem.tolerance),
        x_(shape(), Sharing::token, traits.multiprocessors) {
    find_algorithms("in INT8");
  }

  [[nodiscard]] std::optional<harness::sdk::Tolerance> tolerance() const override {
    return tolerance_of_codes(shape(), of_workload_);
  }
  [[nodiscard]] std::optional<DType> multiplies() const override { return DType::i8; }
  [[nodiscard]] std::size_t workspace_bytes() const override {
    return kernels::library_workspace_bytes + sums_bytes() + x_.workspace_bytes();
  }

  void bind(const harness::sdk::Buffers& buffers) override {
    auto* const workspace = static_cast<unsigned char*>(buffers.workspace);
    sums_ = reinterpret_cast<std::int32_t*>(workspace + kernels::library_workspace_bytes);
    x_.bind(buffers, workspace + kernels::library_workspace_bytes + sums_bytes());
    w_scales_ = buffers.as<float>(w_scales_index);
    y_ = buffers.as<std::uint16_t>(y_index(shape()));
    product().bind(x_.codes(), buffers.as<void>(w_index), sums_, workspace);
  }

  void run(harness::sdk::Stream stream) override {
    auto* const queue = static_cast<cudaStream_t>(stream.handle);
    x_.run(queue);
    product().run(queue);
    const std::int64_t elements = shape().m * shape().n;
    const auto blocks = static_cast<unsigned>((elements + quantise_threads * 4 - 1) / (quantise_threads * 4));
    scale_sums<ptx::F16><<<blocks, quantise_threads, 0, queue>>>(sums_, x_.scales(), w_scales_, y_, elements,
                                                                 static_cast<int>(shape().n));
    kernels::check(cudaGetLastError(), "launch of scale_sums");
  }

 protected:
  void prepare() override {
    x_.run(nullptr);
    kernels::check(cudaDeviceSynchronize(), "cudaDeviceSynchronize");
  }

 private:
  static Shape aligned(const Shape& shape) {
    if (shape.n % 4 != 0 || shape.k % 4 != 0)
      throw harness::sdk::Unsupported("cuBLASLt's products of int8 need n and k that are multiples of 4");
    return shape;
  }
  [[nodiscard]] std::size_t sums_bytes() const {
    return up_to_256(static_cast<std::size_t>(shape().m * shape().n) * sizeof(std::int32_t));
  }

  harness::sdk::Tolerance of_workload_;
  QuantisedX<ptx::I8> x_;
  std::int32_t* sums_ = nullptr;
  const float* w_scales_ = nullptr;
  std::uint16_t* y_ = nullptr;
};

}  // namespace
}  // namespace quant_gemm

HARNESS_VARIANT(quant_gemm, cublaslt_int8, cuda,
                "cuBLASLt in INT8 with int32 sums, scaled by token and channel in a kernel of its own",
                quant_gemm::CublasLtInt8)
