// quant_gemm/cublaslt_f16: the reference: X and W in FP16 by cuBLASLt, summed in float32.
#include "kernels/quant_gemm/library_kernel.cuh"

namespace quant_gemm {
namespace {

using harness::sdk::DType;

class CublasLtF16 final : public LibraryKernel {
 public:
  CublasLtF16(const harness::sdk::Params& params, const harness::sdk::Problem&,
              const harness::sdk::DeviceTraits&)
      : LibraryKernel(plain(shape_of(params)), DType::f16, DType::f16) {
    find_algorithms("in FP16");
  }

  void bind(const harness::sdk::Buffers& buffers) override {
    product().bind(buffers.as<void>(x_index), buffers.as<void>(w_index), buffers.as<void>(y_index(shape())),
                   buffers.workspace);
  }
  void run(harness::sdk::Stream stream) override { product().run(static_cast<cudaStream_t>(stream.handle)); }

 private:
  static Shape plain(const Shape& shape) {
    if (shape.weights != Weights::f16)
      throw harness::sdk::Unsupported("the reference: it multiplies weights in f16 alone");
    return shape;
  }
};

}  // namespace
}  // namespace quant_gemm

HARNESS_VARIANT(quant_gemm, cublaslt_f16, cuda, "cuBLASLt in FP16, the fastest of up to 16 algorithms",
                quant_gemm::CublasLtF16)
