// CublasLtProduct: Y = X W (row-major) by cuBLASLt, accumulated in float32 or int32, with an algorithm that
// is chosen before anything is timed: the library's first, or the fastest of its candidates on this device.
// Owns the library's objects; the workspace is the caller's. Use from one thread at a time, with the device
// current on which it was made.
#pragma once

#include <cublasLt.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <string>
#include <type_traits>
#include <vector>

#include "harness/sdk/params.h"
#include "kernels/cuda_check.cuh"
#include "kernels/fastest.cuh"
#include "kernels/product_shape.h"

namespace kernels {

// The size that NVIDIA recommends on Hopper (cuBLAS 13.0 manual, cublasSetWorkspace).
inline constexpr std::size_t library_workspace_bytes = std::size_t{32} << 20;

inline cudaDataType_t library_type(harness::sdk::DType dtype) {
  using harness::sdk::DType;
  switch (dtype) {
    case DType::f32: return CUDA_R_32F;
    case DType::f16: return CUDA_R_16F;
    case DType::i8: return CUDA_R_8I;
    case DType::e4m3: return CUDA_R_8F_E4M3;
    case DType::i32: return CUDA_R_32I;
    default: return CUDA_R_16BF;
  }
}

// The types of a product by the library, where Y is not of the type of X and W. W is n x k instead of k x n
// if `w_is_transposed`, the only order in which Hopper multiplies 8-bit types.
struct LibraryTypes {
  harness::sdk::DType operands;
  harness::sdk::DType result;
  cublasComputeType_t compute = CUBLAS_COMPUTE_32F;  // 32I: then Y is i32
  bool w_is_transposed = false;
};

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

  CublasLtProduct(const ProductShape& shape, cublasComputeType_t compute)
      : CublasLtProduct(shape, {shape.dtype, shape.dtype, compute, false}) {}

  CublasLtProduct(const ProductShape& shape, const LibraryTypes& types)
      : whole_(types.compute == CUBLAS_COMPUTE_32I), to_codes_(types.result == harness::sdk::DType::e4m3) {
    const cudaDataType_t type = library_type(types.operands);
    cublasLtHandle_t handle = nullptr;
    check(cublasLtCreate(&handle), "cublasLtCreate");
    handle_.reset(handle);
    cublasLtMatmulDesc_t operation = nullptr;
    check(cublasLtMatmulDescCreate(&operation, types.compute, whole_ ? CUDA_R_32I : CUDA_R_32F),
          "cublasLtMatmulDescCreate");
    operation_.reset(operation);
    // The library thinks in columns: a row-major matrix is its transpose to the library. So it computes Y^T
    // (n x m) = W^T (n x k) X^T (k x m), with the arrays as they lie.
    if (types.w_is_transposed) set(CUBLASLT_MATMUL_DESC_TRANSA, CUBLAS_OP_T);
    w_layout_ =
        types.w_is_transposed ? make_layout(type, shape.k, shape.n) : make_layout(type, shape.n, shape.k);
    x_layout_ = make_layout(type, shape.k, shape.m);
    y_layout_ = make_layout(library_type(types.result), shape.n, shape.m);
    addend_layout_ = make_layout(to_codes_ ? CUDA_R_16F : library_type(types.result), shape.n, shape.m);
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
        handle_.get(), operation_.get(), w_layout_.get(), x_layout_.get(), addend_layout_.get(),
        y_layout_.get(), preference.get(), std::min(most, most_algorithms), results, &found);
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

  // From now on Y = X W + addend, which has the layout of Y.
  void add(const void* addend) { addend_ = addend; }
  // From now on X W is multiplied by it; not a product in int32.
  void scale(float factor) { factor_ = factor; }

  // Takes the fastest of the candidates on the bound buffers, the library's favourite where they are alike.
  // Waits for the device.
  void choose_fastest(int rounds) {
    const std::size_t chosen =
        fastest_of(candidates_.size(), rounds, [&](std::size_t index, cudaStream_t stream) {
          algorithm_ = candidates_[index].algo;
          run(stream);
        });
    algorithm_ = candidates_[chosen].algo;
  }

  // The algorithm as text: the library's version and its opaque structure, which may be kept and taken again
  // by the same version (cuBLAS 13.0 manual, cublasLtMatmulAlgo_t).
  [[nodiscard]] std::string algorithm_text() const {
    std::string text = version_text();
    const auto* const bytes = reinterpret_cast<const unsigned char*>(&algorithm_);
    for (std::size_t i = 0; i < sizeof algorithm_; ++i) {
      char digits[3];
      std::snprintf(digits, sizeof digits, "%02x", static_cast<unsigned>(bytes[i]));
      text += digits;
    }
    return text;
  }

  // Takes an algorithm_text(). False, and nothing is changed: another version wrote it, or the library does
  // not take it for this product and workspace.
  bool take_algorithm(const std::string& text) {
    const std::string version = version_text();
    cublasLtMatmulAlgo_t taken = {};
    if (text.size() != version.size() + 2 * sizeof taken || text.compare(0, version.size(), version) != 0)
      return false;
    auto* const bytes = reinterpret_cast<unsigned char*>(&taken);
    for (std::size_t i = 0; i < sizeof taken; ++i) {
      char* end = nullptr;
      const std::string digits = text.substr(version.size() + 2 * i, 2);
      bytes[i] = static_cast<unsigned char>(std::strtoul(digits.c_str(), &end, 16));
      if (*end != '\0') return false;
    }
    cublasLtMatmulHeuristicResult_t result = {};
    if (cublasLtMatmulAlgoCheck(handle_.get(), operation_.get(), w_layout_.get(), x_layout_.get(),
                                addend_layout_.get(), y_layout_.get(), &taken,
                                &result) != CUBLAS_STATUS_SUCCESS ||
        result.workspaceSize > library_workspace_bytes)
      return false;
    algorithm_ = taken;
    return true;
  }

  [[nodiscard]] Algorithm algorithm() const {
    Algorithm described;
    described.id = attribute(CUBLASLT_ALGO_CONFIG_ID);
    described.tile = attribute(CUBLASLT_ALGO_CONFIG_TILE_ID);
    described.stages = attribute(CUBLASLT_ALGO_CONFIG_STAGES_ID);
    return described;
  }

  void run(cudaStream_t stream) {
    constexpr float one = 1.0F;
    constexpr float zero = 0.0F;
    constexpr std::int32_t whole_one = 1;
    constexpr std::int32_t whole_zero = 0;
    const void* const alpha = whole_ ? static_cast<const void*>(&whole_one) : &factor_;
    const void* const unchanged = whole_ ? static_cast<const void*>(&whole_one) : &one;
    const void* const none = whole_ ? static_cast<const void*>(&whole_zero) : &zero;
    const bool adds = addend_ != nullptr;
    const void* const added = adds || to_codes_ ? addend_ : y_;
    check(cublasLtMatmul(handle_.get(), operation_.get(), alpha, w_, w_layout_.get(), x_, x_layout_.get(),
                         adds ? unchanged : none, added, addend_layout_.get(), y_, y_layout_.get(),
                         &algorithm_, workspace_, library_workspace_bytes, stream),
          "cublasLtMatmul");
  }

 private:
  using Layout = OwnedOfLibrary<cublasLtMatrixLayout_t, cublasLtMatrixLayoutDestroy>;
  // The library's own type has no name of its own, which nvcc 13.0 cannot keep in a vector.
  struct Candidate {
    cublasLtMatmulAlgo_t algo;
  };

  // A dense column-major matrix.
  static Layout make_layout(cudaDataType_t type, std::int64_t rows, std::int64_t columns) {
    cublasLtMatrixLayout_t layout = nullptr;
    check(cublasLtMatrixLayoutCreate(&layout, type, static_cast<std::uint64_t>(rows),
                                     static_cast<std::uint64_t>(columns), rows),
          "cublasLtMatrixLayoutCreate");
    return Layout(layout);
  }

  static std::string version_text() { return "cublasLt " + std::to_string(cublasLtGetVersion()) + " "; }

  [[nodiscard]] int attribute(cublasLtMatmulAlgoConfigAttributes_t which) const {
    int value = 0;
    check(cublasLtMatmulAlgoConfigGetAttribute(&algorithm_, which, &value, sizeof value, nullptr),
          "cublasLtMatmulAlgoConfigGetAttribute");
    return value;
  }

  bool whole_;     // sums and scaling in int32
  bool to_codes_;  // Y is of 8 bits, and an addend of 16
  OwnedOfLibrary<cublasLtHandle_t, cublasLtDestroy> handle_;
  OwnedOfLibrary<cublasLtMatmulDesc_t, cublasLtMatmulDescDestroy> operation_;
  Layout w_layout_;
  Layout x_layout_;
  Layout y_layout_;
  Layout addend_layout_;
  std::vector<Candidate> candidates_;
  cublasLtMatmulAlgo_t algorithm_ = {};
  const void* x_ = nullptr;
  const void* w_ = nullptr;
  void* y_ = nullptr;
  const void* addend_ = nullptr;
  float factor_ = 1;
  void* workspace_ = nullptr;
};

}  // namespace kernels
