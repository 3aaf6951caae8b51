// LibraryKernel: a product by cuBLASLt as a variant of quant_gemm.
#pragma once

#include "kernels/cublaslt_kernel.cuh"
#include "kernels/quant_gemm/quantised_x.cuh"

namespace quant_gemm {

class LibraryKernel : public kernels::CublasLtKernel {
 protected:
  LibraryKernel(const Shape& shape, harness::sdk::DType operands, harness::sdk::DType result,
                cublasComputeType_t compute = CUBLAS_COMPUTE_32F)
      : CublasLtKernel({operands, require_launchable(shape).m, shape.n, shape.k},
                       {operands, result, compute, true}),
        shape_(shape) {}

  [[nodiscard]] const Shape& shape() const { return shape_; }

 private:
  Shape shape_;
};

}  // namespace quant_gemm
