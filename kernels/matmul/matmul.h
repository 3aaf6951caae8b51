// The problem matmul, C = A B, as every variant sees it: its shape and the order of its tensors. All matrices
// are row-major and dense: A is m x k, B is k x n, C is m x n, all of one element type. Header-only, host
// code; no state.
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <string>

#include "harness/sdk/params.h"
#include "kernels/product_shape.h"

namespace matmul {

// Indices into Problem::tensors and Buffers::tensors.
inline constexpr std::size_t a_index = 0;
inline constexpr std::size_t b_index = 1;
inline constexpr std::size_t c_index = 2;

// How elements are stored and multiplied; sums are float32 or better in all four. tf32 is stored as float32
// and may be multiplied with 10 bits of mantissa; f32 must be multiplied with all 23.
enum class Arithmetic { f16, bf16, f32, tf32 };

struct Shape {
  Arithmetic arithmetic = Arithmetic::f32;
  std::int64_t m = 1;
  std::int64_t n = 1;
  std::int64_t k = 1;
};

inline harness::sdk::DType storage_of(Arithmetic arithmetic) {
  using harness::sdk::DType;
  if (arithmetic == Arithmetic::f16) return DType::f16;
  return arithmetic == Arithmetic::bf16 ? DType::bf16 : DType::f32;
}

// Reads the parameters of a case; std::out_of_range or std::invalid_argument when they are not those of
// this workload.
inline Shape shape_of(const harness::sdk::Params& params) {
  Shape shape;
  const std::string& dtype = params.text("dtype");
  if (dtype == "f16")
    shape.arithmetic = Arithmetic::f16;
  else if (dtype == "bf16")
    shape.arithmetic = Arithmetic::bf16;
  else if (dtype == "tf32")
    shape.arithmetic = Arithmetic::tf32;
  else if (dtype != "f32")
    throw std::invalid_argument("`" + dtype + "` is none of f16, bf16, f32 and tf32");
  shape.m = params.integer("m");
  shape.n = params.integer("n");
  shape.k = params.integer("k");
  return shape;
}

inline kernels::ProductShape product_shape(const Shape& shape) {
  return {storage_of(shape.arithmetic), shape.m, shape.n, shape.k};
}

// Shared by the CUDA variants: extents that fit 32-bit integers, rounded up to tiles.
inline void require_32_bit_extents(const Shape& shape) {
  constexpr std::int64_t most = std::numeric_limits<std::int32_t>::max() - 1024;
  if (shape.m > most || shape.n > most || shape.k > most)
    throw harness::sdk::Unsupported("m, n and k must each be at most " + std::to_string(most));
}

}  // namespace matmul
