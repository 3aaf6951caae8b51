// The problem linear_gelu, Y = gelu(X W + b), as every variant sees it: its shape, the order of its
// tensors and the two forms of GELU. All matrices are row-major and dense: X is m x k, W is k x n, b has
// n elements, Y is m x n; all four have the same element type. Header-only, host code; no state.
#pragma once

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "harness/sdk/params.h"
#include "kernels/linear_gelu/gelu.h"
#include "kernels/product_work.h"

namespace linear_gelu {

// Indices into Problem::tensors and Buffers::tensors.
inline constexpr std::size_t x_index = 0;
inline constexpr std::size_t w_index = 1;
inline constexpr std::size_t bias_index = 2;
inline constexpr std::size_t y_index = 3;

struct Shape {
  harness::sdk::DType dtype = harness::sdk::DType::f32;
  std::int64_t m = 1;
  std::int64_t n = 1;
  std::int64_t k = 1;
  Gelu gelu = Gelu::tanh_form;
};

// Reads the parameters of a case; std::out_of_range or std::invalid_argument when they are not those of
// this workload.
inline Shape shape_of(const harness::sdk::Params& params) {
  Shape shape;
  shape.dtype = params.dtype();
  shape.m = params.integer("m");
  shape.n = params.integer("n");
  shape.k = params.integer("k");
  shape.gelu = params.text("gelu") == "erf" ? Gelu::erf_form : Gelu::tanh_form;
  return shape;
}

// The matrix product in it.
inline kernels::ProductShape product_shape(const Shape& shape) {
  return {shape.dtype, shape.m, shape.n, shape.k};
}

// GELU in double precision, after Hendrycks and Gimpel, "Gaussian Error Linear Units" (2016), section 2:
// x times the normal distribution function, exactly or by its tanh approximation.
inline double gelu(double x, Gelu form) {
  constexpr double sqrt_half = 0.70710678118654752440;
  constexpr double sqrt_two_over_pi = 0.79788456080286535588;
  if (form == Gelu::erf_form) return 0.5 * x * (1.0 + std::erf(x * sqrt_half));
  return 0.5 * x * (1.0 + std::tanh(sqrt_two_over_pi * (x + 0.044715 * x * x * x)));
}

// Shared by the CUDA variants: 16-bit element types and extents that fit the libraries' 32-bit integers.
// Throws Unsupported otherwise.
inline void require_half_precision(const Shape& shape) {
  kernels::require_half_extents(product_shape(shape));
}

}  // namespace linear_gelu
