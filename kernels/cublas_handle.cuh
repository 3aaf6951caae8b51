// CublasHandle: a handle of cuBLAS on the caller's workspace, so that nothing is allocated when it runs. Use
// from one thread at a time, with the device current on which it was made.
#pragma once

#include <cublas_v2.h>
#include <cuda_runtime.h>

#include <memory>
#include <type_traits>

#include "kernels/cublaslt.cuh"

namespace kernels {

class CublasHandle {
 public:
  CublasHandle() {
    cublasHandle_t handle = nullptr;
    check(cublasCreate(&handle), "cublasCreate");
    handle_.reset(handle);
  }

  // `workspace` has library_workspace_bytes bytes.
  void bind(void* workspace) {
    workspace_ = workspace;
    prepared_ = false;
  }

  // The handle, ready to enqueue on `stream`. Setting the stream puts cuBLAS back on a workspace of its own,
  // so the order matters.
  cublasHandle_t on(cudaStream_t stream) {
    if (!prepared_ || stream != stream_) {
      check(cublasSetStream(handle_.get(), stream), "cublasSetStream");
      check(cublasSetWorkspace(handle_.get(), workspace_, library_workspace_bytes), "cublasSetWorkspace");
      stream_ = stream;
      prepared_ = true;
    }
    return handle_.get();
  }

 private:
  struct Destroy {
    void operator()(cublasHandle_t handle) const { cublasDestroy(handle); }
  };

  std::unique_ptr<std::remove_pointer_t<cublasHandle_t>, Destroy> handle_;
  void* workspace_ = nullptr;
  cudaStream_t stream_ = nullptr;
  bool prepared_ = false;
};

}  // namespace kernels
