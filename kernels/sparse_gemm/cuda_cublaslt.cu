// sparse_gemm/cublaslt: the reference: W with its zeros by cuBLASLt in FP16, summed in float32.
#include "harness/sdk/registry.h"
#include "kernels/cublaslt_kernel.cuh"
#include "kernels/sparse_gemm/sparse_gemm.h"

namespace sparse_gemm {
namespace {

using harness::sdk::DType;

class CublasLtDense final : public kernels::CublasLtKernel {
 public:
  CublasLtDense(const harness::sdk::Params& params, const harness::sdk::Problem&,
                const harness::sdk::DeviceTraits&)
      : CublasLtDense(require_dense(shape_of(params))) {}

  void bind(const harness::sdk::Buffers& buffers) override {
    product().bind(buffers.as<void>(x_index), buffers.as<void>(w_index), buffers.as<void>(y_index),
                   buffers.workspace);
  }
  void run(harness::sdk::Stream stream) override { product().run(static_cast<cudaStream_t>(stream.handle)); }

 private:
  explicit CublasLtDense(const Shape& shape)
      : CublasLtKernel({DType::f16, shape.m, shape.n, shape.k},
                       {DType::f16, DType::f16, CUBLAS_COMPUTE_32F, true}) {
    find_algorithms("in FP16");
  }
};

}  // namespace
}  // namespace sparse_gemm

HARNESS_VARIANT(sparse_gemm, cublaslt, cuda,
                "W with its zeros by cuBLASLt, the fastest of up to 16 algorithms",
                sparse_gemm::CublasLtDense)
