// CublasLtProduct: Y = X W (row-major) by cuBLASLt, accumulated in float32, with an algorithm that is chosen
// before anything is timed: the library's first, or the fastest of its candidates on this device. Owns the
// library's objects; the workspace is the caller's. Use from one thread at a time, with the device current on
// which it was made.
#pragma once

#include <cublasLt.h>

#include <algorithm>
#include <memory>
#include <type_traits>
#include <vector>

#include "harness/sdk/params.h"
#include "kernels/cuda_check.cuh"
#include "kernels/product_shape.h"

namespace kernels {

// The size that NVIDIA recommends on Hopper (cuBLAS 13.0 manual, cublasSetWorkspace).
inline constexpr std::size_t library_workspace_bytes = std::size_t{32} << 20;

inline cudaDataType_t library_type(harness::sdk::DType dtype) {
  using harness::sdk::DType;
  if (dtype == DType::f32) return CUDA_R_32F;
  return dtype == DType::f16 ? CUDA_R_16F : CUDA_R_16BF;
}

template <class Pointer, cublasStatus_t (*Function)(Pointer)>
struct DestroyOfLibrary {
  void operator()(Pointer object) const { Function(object); }
};
template <class Pointer, cublasStatus_t (*Function)(Pointer)>
using OwnedOfLibrary = std::unique_ptr<std::remove_pointer_t<Pointer>, DestroyOfLibrary<Pointer, Function>>;

class CublasLtProduct {
 public:
  static constexpr int most_algorithms = 32;

  // The properties of an algorithm in the library's terms.
  struct Algorithm {
    int id = 0;
    int tile = 0;
    int stages = 0;
  };

  CublasLtProduct(const ProductShape& shape, cublasComputeType_t compute) {
    const cudaDataType_t type = library_type(shape.dtype);
    cublasLtHandle_t handle = nullptr;
    check(cublasLtCreate(&handle), "cublasLtCreate");
    handle_.reset(handle);
    cublasLtMatmulDesc_t operation = nullptr;
    check(cublasLtMatmulDescCreate(&operation, compute, CUDA_R_32F), "cublasLtMatmulDescCreate");
    operation_.reset(operation);
    // The library thinks in columns: a row-major matrix is its transpose to the library. So it computes Y^T
    // (n x m) = W^T (n x k) X^T (k x m), with the arrays as they lie.
    w_layout_ = make_layout(type, shape.n, shape.k);
    x_layout_ = make_layout(type, shape.k, shape.m);
    y_layout_ = make_layout(type, shape.n, shape.m);
  }

  // An attribute of the operation: an epilogue, its bias.
  template <class Value>
  void set(cublasLtMatmulDescAttributes_t attribute, const Value& value) {
    check(cublasLtMatmulDescSetAttribute(operation_.get(), attribute, &value, sizeof value),
          "cublasLtMatmulDescSetAttribute");
  }

  // The library's candidates within the workspace, its favourite first, at most `most`; also chooses the
  // first. The buffers are 256-byte aligned, which is what it assumes; leading dimensions that are not
  // multiples of 16 bytes narrow the choice, sometimes to nothing: then throws Unsupported.
  int find_algorithms(int most, const char* what) {
    cublasLtMatmulPreference_t created = nullptr;
    check(cublasLtMatmulPreferenceCreate(&created), "cublasLtMatmulPreferenceCreate");
    const OwnedOfLibrary<cublasLtMatmulPreference_t, cublasLtMatmulPreferenceDestroy> preference(created);
    check(cublasLtMatmulPreferenceSetAttribute(preference.get(), CUBLASLT_MATMUL_PREF_MAX_WORKSPACE_BYTES,
                                               &library_workspace_bytes, sizeof library_workspace_bytes),
          "cublasLtMatmulPreferenceSetAttribute");
    cublasLtMatmulHeuristicResult_t results[most_algorithms] = {};
    int found = 0;
    const cublasStatus_t status = cublasLtMatmulAlgoGetHeuristic(
        handle_.get(), operation_.get(), w_layout_.get(), x_layout_.get(), y_layout_.get(), y_layout_.get(),
        preference.get(), std::min(most, most_algorithms), results, &found);
    if (status != CUBLAS_STATUS_NOT_SUPPORTED) check(status, "cublasLtMatmulAlgoGetHeuristic");
    candidates_.clear();
    for (int i = 0; status == CUBLAS_STATUS_SUCCESS && i < found; ++i)
      if (results[i].state == CUBLAS_STATUS_SUCCESS) candidates_.push_back(Candidate{results[i].algo});
    if (candidates_.empty())
      throw harness::sdk::Unsupported(std::string("cuBLASLt has no algorithm ") + what + " for this shape");
    algorithm_ = candidates_.front().algo;
    return static_cast<int>(candidates_.size());
  }

  void bind(const void* x, const void* w, void* y, void* workspace) {
    x_ = x;
    w_ = w;
    y_ = y;
    workspace_ = workspace;
  }

  // Times every candidate on the bound buffers, each the median of `rounds` calls after one that is not
  // counted, and chooses the fastest. Waits for the device.
  void choose_fastest(int rounds) {
    cudaStream_t stream = nullptr;
    check(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking), "cudaStreamCreateWithFlags");
    const std::unique_ptr<CUstream_st, cudaError_t (*)(cudaStream_t)> owned(stream, cudaStreamDestroy);
    float least = 0;
    cublasLtMatmulAlgo_t fastest = candidates_.front().algo;
    for (const auto& candidate : candidates_) {
      algorithm_ = candidate.algo;
      const float time = median_time(stream, rounds);
      if (&candidate != &candidates_.front() && !(time < least)) continue;
      least = time;
      fastest = candidate.algo;
    }
    algorithm_ = fastest;
  }

  [[nodiscard]] Algorithm algorithm() const {
    Algorithm described;
    described.id = attribute(CUBLASLT_ALGO_CONFIG_ID);
    described.tile = attribute(CUBLASLT_ALGO_CONFIG_TILE_ID);
    described.stages = attribute(CUBLASLT_ALGO_CONFIG_STAGES_ID);
    return described;
  }

  void run(cudaStream_t stream) {
    const float one = 1.0F;
    const float zero = 0.0F;
    check(cublasLtMatmul(handle_.get(), operation_.get(), &one, w_, w_layout_.get(), x_, x_layout_.get(),
                         &zero, y_, y_layout_.get(), y_, y_layout_.get(), &algorithm_, workspace_,
                         library_workspace_bytes, stream),
          "cublasLtMatmul");
  }

 private:
  using Layout = OwnedOfLibrary<cublasLtMatrixLayout_t, cublasLtMatrixLayoutDestroy>;
  // The library's own type has no name of its own, which nvcc 13.0 cannot keep in a vector.
  struct Candidate {
    cublasLtMatmulAlgo_t algo;
  };
  using Event = std::unique_ptr<CUevent_st, cudaError_t (*)(cudaEvent_t)>;

  // A dense column-major matrix.
  static Layout make_layout(cudaDataType_t type, std::int64_t rows, std::int64_t columns) {
    cublasLtMatrixLayout_t layout = nullptr;
    check(cublasLtMatrixLayoutCreate(&layout, type, static_cast<std::uint64_t>(rows),
                                     static_cast<std::uint64_t>(columns), rows),
          "cublasLtMatrixLayoutCreate");
    return Layout(layout);
  }

  static Event make_event() {
    cudaEvent_t event = nullptr;
    check(cudaEventCreate(&event), "cudaEventCreate");
    return {event, cudaEventDestroy};
  }

  float median_time(cudaStream_t stream, int rounds) {
    const Event start = make_event();
    const Event stop = make_event();
    run(stream);
    std::vector<float> times;
    for (int round = 0; round < rounds; ++round) {
      check(cudaEventRecord(start.get(), stream), "cudaEventRecord");
      run(stream);
      check(cudaEventRecord(stop.get(), stream), "cudaEventRecord");
      check(cudaEventSynchronize(stop.get()), "cudaEventSynchronize");
      times.push_back(0);
      check(cudaEventElapsedTime(&times.back(), start.get(), stop.get()), "cudaEventElapsedTime");
    }
    std::nth_element(times.begin(), times.begin() + rounds / 2, times.end());
    return times[static_cast<std::size_t>(rounds / 2)];
  }

  [[nodiscard]] int attribute(cublasLtMatmulAlgoConfigAttributes_t which) const {
    int value = 0;
    check(cublasLtMatmulAlgoConfigGetAttribute(&algorithm_, which, &value, sizeof value, nullptr),
          "cublasLtMatmulAlgoConfigGetAttribute");
    return value;
  }

  OwnedOfLibrary<cublasLtHandle_t, cublasLtDestroy> handle_;
  OwnedOfLibrary<cublasLtMatmulDesc_t, cublasLtMatmulDescDestroy> operation_;
  Layout w_layout_;
  Layout x_layout_;
  Layout y_layout_;
  std::vector<Candidate> candidates_;
  cublasLtMatmulAlgo_t algorithm_ = {};
  const void* x_ = nullptr;
  const void* w_ = nullptr;
  void* y_ = nullptr;
  void* workspace_ = nullptr;
};

}  // namespace kernels
