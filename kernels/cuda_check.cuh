// check(): turns the status of a CUDA, cuBLAS or cuBLASLt call into a std::runtime_error that names the
// call and says what went wrong. The harness makes an outcome of it.
#pragma once

#include <cublas_v2.h>
#include <cuda_runtime.h>

#include <stdexcept>
#include <string>

namespace kernels {

inline void check(cudaError_t status, const char* call) {
  if (status != cudaSuccess)
    throw std::runtime_error(std::string(call) + ": " + cudaGetErrorName(status) + ", " +
                             cudaGetErrorString(status));
}

// cuBLAS and cuBLASLt share their status type.
inline void check(cublasStatus_t status, const char* call) {
  if (status != CUBLAS_STATUS_SUCCESS)
    throw std::runtime_error(std::string(call) + ": " + cublasGetStatusName(status) + ", " +
                             cublasGetStatusString(status));
}

}  // namespace kernels
