// The problem qkv_rope as every variant sees it: Y = X W, then the rotary position embedding of Su et al.,
// "RoFormer: Enhanced Transformer with Rotary Position Embedding" (2021), equation 34, on queries and keys.
// X is m x k, a token a row; W is k x 3d, Y m x 3d: d columns of queries, d of keys, d of values, heads of
// `head` columns side by side. All are row-major, dense and of one element type. Row r is at position r %
// sequence. In a head, columns 2i and 2i + 1 are a pair, which turns by position * 10000^(-2i / head).
//
// `turns` has (sequence, head) float32: at 2i and 2i + 1 the angle's cosine and sine. It is an input, as
// programs compute it once for all layers. Header-only, host code.
#pragma once

#include <cstddef>
#include <string>

#include "harness/sdk/params.h"
#include "kernels/operators/qkv_rope/turn.h"
#include "kernels/product_shape.h"

namespace operators::qkv_rope {

// Indices into Problem::tensors and Buffers::tensors.
inline constexpr std::size_t x_index = 0;
inline constexpr std::size_t w_index = 1;
inline constexpr std::size_t turns_index = 2;
inline constexpr std::size_t y_index = 3;

struct Shape {
  kernels::ProductShape product;
  std::int64_t sequence = 1;
  std::int64_t head = 2;

  [[nodiscard]] Turns turns(const float* table) const {
    return {table, static_cast<int>(sequence), static_cast<int>(head), static_cast<int>(product.n / 3 * 2),
            0};
  }
};

// Reads the parameters of a case; std::out_of_range or std::invalid_argument when they are not those of this
// workload. Throws Unsupported where heads are not whole pairs, or the columns not whole heads.
inline Shape shape_of(const harness::sdk::Params& params) {
  Shape shape;
  const std::int64_t d = params.integer("d");
  shape.product = {params.dtype(), params.integer("m"), 3 * d, params.integer("k")};
  shape.sequence = params.integer("s");
  shape.head = params.integer("head");
  if (shape.head % 2 != 0 || d % shape.head != 0)
    throw harness::sdk::Unsupported("head must be even, and d a multiple of it");
  if (shape.sequence * shape.head > std::int64_t{1} << 30)
    throw harness::sdk::Unsupported("s times head must be at most 2^30");
  return shape;
}

}  // namespace operators::qkv_rope
