// The problem attention, O = softmax(scale Q K^T) V for every batch and head, as every variant sees it: its
// shape and the order of its tensors. Q, K, V and O have the shape (b, h, s, d), row-major and dense, and one
// 16-bit element type; scale is 1/sqrt(d). Causal: query i sees keys 0..i. Header-only, host code; no state.
#pragma once

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <string>

#include "harness/sdk/params.h"

namespace attention {

// Indices into Problem::tensors and Buffers::tensors.
inline constexpr std::size_t q_index = 0;
inline constexpr std::size_t k_index = 1;
inline constexpr std::size_t v_index = 2;
inline constexpr std::size_t o_index = 3;

struct Shape {
  harness::sdk::DType dtype = harness::sdk::DType::f16;
  std::int64_t batch = 1;
  std::int64_t heads = 1;
  std::int64_t sequence = 1;   // queries, and as many keys
  std::int64_t dimension = 1;  // of one head
  bool causal = false;
  std::int64_t window = 0;  // with causal: query i sees keys i - window + 1 to i; 0: no limit
  // 0: as above. Else heads lie side by side, (b, s, h, d): of tensors of their own (1), or of Q, K and V as
  // parts of (b, s, 3, h, d) and an O of its own (3).
  std::int64_t beside = 0;

  [[nodiscard]] std::int64_t matrices() const { return batch * heads; }
  [[nodiscard]] std::int64_t elements() const { return matrices() * sequence * dimension; }
  [[nodiscard]] double scale() const { return 1.0 / std::sqrt(static_cast<double>(dimension)); }
};

// Reads the parameters of a case; std::out_of_range or std::invalid_argument when they are not those of
// this workload.
inline Shape shape_of(const harness::sdk::Params& params) {
  Shape shape;
  shape.dtype = params.dtype();
  shape.batch = params.integer("b");
  shape.heads = params.integer("h");
  shape.sequence = params.integer("s");
  shape.dimension = params.integer("d");
  shape.causal = params.flag("causal");
  return shape;
}

// Bytes of float32 scores (b, h, s, s), for variants that keep them.
inline double score_bytes(const Shape& shape) {
  return 4.0 * static_cast<double>(shape.matrices()) * static_cast<double>(shape.sequence) *
         static_cast<double>(shape.sequence);
}

// Shared by the CUDA variants: extents that fit 32-bit arithmetic within one matrix, and grids. Throws
// Unsupported otherwise.
inline void require_device_extents(const Shape& shape) {
  constexpr std::int64_t most = std::int64_t{1} << 20;
  if (shape.sequence > most) throw harness::sdk::Unsupported("s must be at most " + std::to_string(most));
  if (shape.dimension > 1024) throw harness::sdk::Unsupported("d must be at most 1024");
  if (shape.matrices() > 65535)
    throw harness::sdk::Unsupported("b times h must be at most 65535, the height of a grid");
}

// For variants written for the common head sizes.
inline void require_common_head(const Shape& shape) {
  if (shape.dimension != 32 && shape.dimension != 64 && shape.dimension != 128)
    throw harness::sdk::Unsupported("written for d = 32, 64 and 128; this case has d = " +
                                    std::to_string(shape.dimension));
}

}  // namespace attention
