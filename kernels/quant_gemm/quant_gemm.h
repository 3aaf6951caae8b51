// The problem quant_gemm, Y = X W^T, as every variant sees it: its shape, the order of its tensors and the
// scales of W. X is m x k, W is n x k, Y is m x n, all row-major. Header-only, host code; no state.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

#include "harness/sdk/params.h"
#include "harness/sdk/workload.h"

namespace quant_gemm {

enum class Weights {
  f16,         // not quantised, without scales
  i8,          // a scale for each channel, that is for each row of W
  e4m3,        // one scale
  e4m3_block,  // a scale for each 128 x 128 block
  i4,          // packed; a scale for each 128 elements of a row
};

inline constexpr std::int64_t group = 128;

struct Shape {
  Weights weights = Weights::f16;
  bool stored = false;  // X is quantised already: `quantise` is outside
  std::int64_t m = 1;
  std::int64_t n = 1;
  std::int64_t k = 1;

  [[nodiscard]] std::int64_t groups_of_k() const { return (k + group - 1) / group; }
  [[nodiscard]] harness::sdk::DType weight_type() const;
  // The type in which X enters the product of a variant that quantises both: int8 or E4M3. f16 for weights
  // that are only stored small.
  [[nodiscard]] harness::sdk::DType product_type() const;
  // Scales of W: one for each `rows` x `columns` block.
  [[nodiscard]] std::int64_t rows_a_scale() const;
  [[nodiscard]] std::int64_t columns_a_scale() const;
  [[nodiscard]] std::int64_t scale_of(std::int64_t row, std::int64_t column) const {
    return row / rows_a_scale() * ((k + columns_a_scale() - 1) / columns_a_scale()) +
           column / columns_a_scale();
  }
  [[nodiscard]] std::int64_t scales() const {
    return (n + rows_a_scale() - 1) / rows_a_scale() * ((k + columns_a_scale() - 1) / columns_a_scale());
  }
  // Scales of a stored X: one for each `x_rows_a_scale` x `x_columns_a_scale` block. The scales of 128 of k
  // lie one row of k after the other, so that the scales of neighbouring tokens are neighbours.
  [[nodiscard]] std::int64_t x_rows_a_scale() const { return weights == Weights::e4m3 ? m : 1; }
  [[nodiscard]] std::int64_t x_columns_a_scale() const { return weights == Weights::e4m3_block ? group : k; }
  [[nodiscard]] std::int64_t x_scale_of(std::int64_t row, std::int64_t column) const {
    return column / x_columns_a_scale() * ((m + x_rows_a_scale() - 1) / x_rows_a_scale()) +
           row / x_rows_a_scale();
  }
  [[nodiscard]] std::int64_t x_scales() const { return x_scale_of(m - 1, k - 1) + 1; }
};

inline harness::sdk::DType Shape::weight_type() const {
  switch (weights) {
    case Weights::f16: return harness::sdk::DType::f16;
    case Weights::i8: return harness::sdk::DType::i8;
    case Weights::e4m3:
    case Weights::e4m3_block: return harness::sdk::DType::e4m3;
    case Weights::i4: return harness::sdk::DType::i4;
  }
  return harness::sdk::DType::f16;
}

inline harness::sdk::DType Shape::product_type() const {
  return weights == Weights::i4 ? harness::sdk::DType::f16 : weight_type();
}

inline std::int64_t Shape::rows_a_scale() const {
  return weights == Weights::e4m3 ? n : weights == Weights::e4m3_block ? group : 1;
}

inline std::int64_t Shape::columns_a_scale() const {
  return weights == Weights::e4m3_block || weights == Weights::i4 ? group : k;
}

// Indices into Problem::tensors: x, w, then the scales of w and of x, where there are any, then y.
inline constexpr std::size_t x_index = 0;
inline constexpr std::size_t w_index = 1;
inline constexpr std::size_t w_scales_index = 2;
inline constexpr std::size_t x_scales_index = 3;
inline std::size_t y_index(const Shape& shape) {
  return shape.weights == Weights::f16 ? 2 : shape.stored ? 4 : 3;
}

// Reads the parameters of a case. Throws Unsupported where X cannot be stored small.
inline Shape shape_of(const harness::sdk::Params& params) {
  Shape shape;
  const std::string& weights = params.text("weights");
  shape.weights = weights == "i8"           ? Weights::i8
                  : weights == "e4m3"       ? Weights::e4m3
                  : weights == "e4m3_block" ? Weights::e4m3_block
                  : weights == "i4"         ? Weights::i4
                                            : Weights::f16;
  shape.stored = params.text("quantise") == "outside";
  shape.m = params.integer("m");
  shape.n = params.integer("n");
  shape.k = params.integer("k");
  if (shape.stored && shape.product_type() == harness::sdk::DType::f16)
    throw harness::sdk::Unsupported("with " + weights +
                                    " weights X stays in f16: nothing to quantise outside");
  return shape;
}

// Hopper's Tensor Cores align products of FP8 to the largest of 32 and of the sum so far, and keep 13 bits of
// fraction below it (DeepSeek-V3, section 3.3.2). Each step of 32 loses at most 2^-13 of the sum.
inline double loss_of_fast_sums(std::int64_t k) {
  return static_cast<double>(k) / 32 * 0x1p-13;
}

}  // namespace quant_gemm
