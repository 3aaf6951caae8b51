// The problem rms_norm_linear, Y = rms_norm(X; gain) W, as every variant sees it. X is m x k, gain has k
// elements, W is k x n, Y is m x n, all row-major, dense and of one element type. Header-only, host code.
//
// The norm (Zhang and Sennrich, "Root Mean Square Layer Normalization", 2019, equation 4) multiplies a row of
// X by one factor, which commutes with the product:
//   Y[i][j] = r[i] sum over p of (X[i][p] gain[p]) W[p][j],  r[i] = 1 / sqrt(mean over p of X[i][p]^2 + 1e-5)
// So a fused variant may apply r to the sums, after the product.
#pragma once

#include <cstddef>

#include "harness/sdk/params.h"
#include "kernels/operators/rows.h"
#include "kernels/product_shape.h"

namespace operators::rms_norm_linear {

// Indices into Problem::tensors and Buffers::tensors.
inline constexpr std::size_t x_index = 0;
inline constexpr std::size_t gain_index = 1;
inline constexpr std::size_t w_index = 2;
inline constexpr std::size_t y_index = 3;

// Reads the parameters of a case; std::out_of_range or std::invalid_argument when they are not those of this
// workload.
inline kernels::ProductShape shape_of(const harness::sdk::Params& params) {
  return {params.dtype(), params.integer("m"), params.integer("n"), params.integer("k")};
}

// The pass over X, up to its tensors.
inline RowArguments norm_of(const kernels::ProductShape& shape) {
  RowArguments norm;
  norm.rows = shape.m;
  norm.x_stride = norm.columns = shape.k;
  return norm;
}

}  // namespace operators::rms_norm_linear
