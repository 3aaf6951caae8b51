// The problem sparse_gemm, Y = X W^T, as every variant sees it: its shape and the order of its tensors. X is
// m x k, Y is m x n, row-major, f16. W is n x k; of each four neighbours along k at most two are not zero.
// Header-only, host code; no state.
#pragma once

#include <cstddef>
#include <cstdint>

#include "harness/sdk/params.h"
#include "kernels/sparse_gemm/compressed.h"

namespace sparse_gemm {

struct Shape {
  bool compressed = false;  // W is stored as compressed.h says; otherwise row-major with its zeros
  std::int64_t m = 1;
  std::int64_t n = 1;
  std::int64_t k = 4;

  [[nodiscard]] CompressedExtents extents() const { return {n, k}; }
};

// Indices into Problem::tensors and Buffers::tensors.
inline constexpr std::size_t x_index = 0;
inline constexpr std::size_t w_index = 1;
inline constexpr std::size_t y_index = 2;

// Reads the parameters of a case. Throws Unsupported where k has no groups of four.
inline Shape shape_of(const harness::sdk::Params& params) {
  const Shape shape{params.text("weights") == "compressed", params.integer("m"), params.integer("n"),
                    params.integer("k")};
  if (shape.k % 4 != 0) throw harness::sdk::Unsupported("two of four along k: k must be a multiple of 4");
  return shape;
}

// For variants that multiply W with its zeros.
inline const Shape& require_dense(const Shape& shape) {
  if (shape.compressed) throw harness::sdk::Unsupported("multiplies W with its zeros: weights must be dense");
  return shape;
}

}  // namespace sparse_gemm
