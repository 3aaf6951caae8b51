// The problem block, one pre-norm block of a transformer, as every variant sees it: its shape and the order
// of its tensors. With t = b s tokens of d elements, row-major and dense, all in f16:
//   qkv = norm(x) Wqkv + bqkv                 (t, 3d): queries, keys, values; of each h heads
//   middle = x + attention(qkv) Wout + bout   (t, d)
//   y = middle + gelu(norm(middle) Wup + bup) Wdown + bdown
// gelu is the tanh form; norm is LayerNorm with epsilon 1e-5. Header-only, host code; no state.
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <string>

#include "harness/sdk/params.h"

namespace transformer_block {

// Indices into Problem::tensors and Buffers::tensors.
enum Index : std::size_t {
  x_index,
  norm1_weight,
  norm1_bias,
  qkv_weight,  // (d, 3d)
  qkv_bias,
  out_weight,  // (d, d)
  out_bias,
  norm2_weight,
  norm2_bias,
  up_weight,  // (d, 4d)
  up_bias,
  down_weight,  // (4d, d)
  down_bias,
  y_index,
};

struct Shape {
  harness::sdk::DType dtype = harness::sdk::DType::f16;
  std::int64_t batch = 1;
  std::int64_t sequence = 1;
  std::int64_t width = 8;
  std::int64_t heads = 1;

  [[nodiscard]] std::int64_t tokens() const { return batch * sequence; }
  [[nodiscard]] std::int64_t head() const { return width / heads; }
  [[nodiscard]] std::int64_t hidden() const { return 4 * width; }
  [[nodiscard]] std::int64_t matrices() const { return batch * heads; }
  [[nodiscard]] std::int64_t elements() const { return tokens() * width; }
};

// Reads the parameters of a case; std::out_of_range or std::invalid_argument when they are not those of this
// workload. Throws Unsupported where the heads do not divide the width into whole 16 bytes.
inline Shape shape_of(const harness::sdk::Params& params) {
  Shape shape;
  shape.dtype = params.dtype();
  shape.batch = params.integer("b");
  shape.sequence = params.integer("s");
  shape.width = params.integer("d");
  shape.heads = params.integer("h");
  if (shape.width % (8 * shape.heads) != 0)
    throw harness::sdk::Unsupported("a head must have a multiple of 8 elements: d must be a multiple of " +
                                    std::to_string(8 * shape.heads));
  return shape;
}

// Shared by the CUDA variants: extents that fit 32-bit arithmetic, and grids. Throws Unsupported otherwise.
inline const Shape& require_launchable(const Shape& shape) {
  constexpr std::int64_t most = std::numeric_limits<std::int32_t>::max() / 4;
  if (shape.tokens() * shape.hidden() > most || shape.matrices() > 65535 || shape.sequence > 8192)
    throw harness::sdk::Unsupported("needs at most 2^27 elements of tokens, b h up to 65535, s up to 8192");
  return shape;
}

}  // namespace transformer_block
