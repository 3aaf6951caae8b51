// probe_gemm/cublas: cublasGemmEx on f16 with sums in float32, by the library's own choice of algorithm.
#include <cublas_v2.h>
#include <cuda_runtime.h>

#include <memory>
#include <type_traits>

#include "harness/sdk/registry.h"
#include "kernels/cuda_check.cuh"

namespace probe {
namespace {

using harness::sdk::Buffers;
using harness::sdk::DeviceTraits;
using harness::sdk::Params;
using harness::sdk::Problem;

class Cublas final : public harness::sdk::Kernel {
 public:
  Cublas(const Params& params, const Problem&, const DeviceTraits&)
      : n_(static_cast<int>(params.integer("n"))) {
    if (params.dtype() != harness::sdk::DType::f16) throw harness::sdk::Unsupported("runs on f16 only");
    cublasHandle_t handle = nullptr;
    kernels::check(cublasCreate(&handle), "cublasCreate");
    handle_.reset(handle);
  }

  // Recommended by the library's manual for Hopper. It is the harness's, so that nothing is allocated later.
  [[nodiscard]] std::size_t workspace_bytes() const override { return std::size_t{32} << 20; }

  void bind(const Buffers& buffers) override {
    a_ = buffers.as<void>(0);
    b_ = buffers.as<void>(1);
    c_ = buffers.as<void>(2);
    workspace_ = buffers.workspace;
    prepared_ = false;
  }

  // The library's matrices are column-major, in which ours are their own transposes: C^T = B^T A^T.
  void run(harness::sdk::Stream stream) override {
    prepare(static_cast<cudaStream_t>(stream.handle));
    const float one = 1.0F, zero = 0.0F;
    kernels::check(
        cublasGemmEx(handle_.get(), CUBLAS_OP_N, CUBLAS_OP_N, n_, n_, n_, &one, b_, CUDA_R_16F, n_, a_,
                     CUDA_R_16F, n_, &zero, c_, CUDA_R_16F, n_, CUBLAS_COMPUTE_32F, CUBLAS_GEMM_DEFAULT),
        "cublasGemmEx");
  }

 private:
  struct Destroy {
    void operator()(cublasHandle_t handle) const { cublasDestroy(handle); }
  };

  // Choosing a stream makes the library forget the workspace, so that comes second.
  void prepare(cudaStream_t stream) {
    if (prepared_ && stream == stream_) return;
    kernels::check(cublasSetStream(handle_.get(), stream), "cublasSetStream");
    kernels::check(cublasSetWorkspace(handle_.get(), workspace_, workspace_bytes()), "cublasSetWorkspace");
    stream_ = stream;
    prepared_ = true;
  }

  int n_;
  std::unique_ptr<std::remove_pointer_t<cublasHandle_t>, Destroy> handle_;
  const void* a_ = nullptr;
  const void* b_ = nullptr;
  void* c_ = nullptr;
  void* workspace_ = nullptr;
  cudaStream_t stream_ = nullptr;
  bool prepared_ = false;
};

}  // namespace
}  // namespace probe

HARNESS_VARIANT(probe_gemm, cublas, cuda, "cuBLAS, float32 sums", probe::Cublas)
