// CublasProduct: Y = X W by cuBLAS, accumulated in float32, for the variants that follow it with kernels of
// their own. Owns the handle; the workspace is the caller's, so that nothing is allocated when it runs.
// Use from one thread at a time, with the device current on which it was made.
#pragma once

#include "kernels/cublas_handle.cuh"
#include "kernels/linear_gelu/linear_gelu.h"

namespace linear_gelu {

using kernels::library_workspace_bytes;

class CublasProduct {
 public:
  // Throws Unsupported on element types other than f16 and bf16.
  explicit CublasProduct(const Shape& shape) : shape_(shape) { require_half_precision(shape); }

  // `workspace` has library_workspace_bytes bytes.
  void bind(void* workspace) { handle_.bind(workspace); }

  // cuBLAS thinks in columns: a row-major matrix is its transpose to the library. So it computes Y^T (n x m)
  // = W^T (n x k) X^T (k x m), with the arrays as they lie.
  void run(const void* x, const void* w, void* y, cudaStream_t stream) {
    const float one = 1.0F;
    const float zero = 0.0F;
    const int m = static_cast<int>(shape_.m);
    const int n = static_cast<int>(shape_.n);
    const int k = static_cast<int>(shape_.k);
    const cudaDataType_t type = kernels::library_type(shape_.dtype);
    kernels::check(cublasGemmEx(handle_.on(stream), CUBLAS_OP_N, CUBLAS_OP_N, n, m, k, &one, w, type, n, x,
                                type, k, &zero, y, type, n, CUBLAS_COMPUTE_32F, CUBLAS_GEMM_DEFAULT),
                   "cublasGemmEx");
  }

 private:
  Shape shape_;
  kernels::CublasHandle handle_;
};

}  // namespace linear_gelu
