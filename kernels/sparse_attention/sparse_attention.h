// The problem sparse_attention, O = softmax(Q K^T / sqrt(d)) V over the blocks of keys that a pattern keeps,
// as every variant sees it: its shape, the order of its tensors and the patterns that follow from the shape.
// Q, K, V and O have the shape (b, h, s, d), row-major and dense, f16. Blocks are 128 queries by 128 keys,
// and each block of queries keeps the same number. Header-only, host code; no state.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <stdexcept>
#include <string>
#include <vector>

#include "harness/sdk/params.h"
#include "kernels/sparse_attention/row_choice.h"

namespace sparse_attention {

enum class Pattern {
  dense,      // all blocks: what the others are compared with
  banded,     // neighbours of the diagonal
  strided,    // half of them neighbours of the diagonal, the others evenly spread
  threshold,  // chosen in the call: the largest scores of pooled queries and keys (block_choice.h)
  learned,    // an input: lists of blocks, of each matrix
};

// Indices into Problem::tensors and Buffers::tensors; `chosen` only with learned patterns.
inline constexpr std::size_t q_index = 0;
inline constexpr std::size_t k_index = 1;
inline constexpr std::size_t v_index = 2;
inline constexpr std::size_t o_index = 3;
inline constexpr std::size_t chosen_index = 4;

inline constexpr std::int64_t block = 128;

struct Shape {
  std::int64_t batch = 1;
  std::int64_t heads = 1;
  std::int64_t sequence = 1;   // queries, and as many keys
  std::int64_t dimension = 1;  // of one head
  Pattern pattern = Pattern::dense;
  std::int64_t sparsity = 0;  // percent of the blocks that are left out

  [[nodiscard]] std::int64_t matrices() const { return batch * heads; }
  [[nodiscard]] std::int64_t elements() const { return matrices() * sequence * dimension; }
  [[nodiscard]] std::int64_t blocks() const { return (sequence + block - 1) / block; }
  // Blocks of keys that a block of queries sees: rounded to nearest, at least one.
  [[nodiscard]] std::int64_t kept() const {
    return std::max<std::int64_t>(1, (blocks() * (100 - sparsity) + 50) / 100);
  }
  // A list of blocks holds for one matrix, or for all of them.
  [[nodiscard]] std::int64_t lists() const {
    return pattern == Pattern::threshold || pattern == Pattern::learned ? matrices() : 1;
  }
  [[nodiscard]] double scale() const { return 1.0 / std::sqrt(static_cast<double>(dimension)); }
};

inline Pattern pattern_of(const std::string& name) {
  return name == "banded"      ? Pattern::banded
         : name == "strided"   ? Pattern::strided
         : name == "threshold" ? Pattern::threshold
         : name == "learned"   ? Pattern::learned
                               : Pattern::dense;
}

// Reads the parameters of a case. std::invalid_argument says what contradicts itself.
inline Shape shape_of(const harness::sdk::Params& params) {
  Shape shape;
  shape.batch = params.integer("b");
  shape.heads = params.integer("h");
  shape.sequence = params.integer("s");
  shape.dimension = params.integer("d");
  shape.sparsity = params.integer("sparsity");
  shape.pattern = pattern_of(params.text("pattern"));
  if (shape.sparsity > 99) throw std::invalid_argument("sparsity is in percent: at most 99");
  if (shape.pattern == Pattern::dense && shape.sparsity != 0)
    throw std::invalid_argument("a dense pattern has a sparsity of 0");
  return shape;
}

// The blocks of keys of each block of queries, kept() each, ascending: of patterns that follow from the
// shape.
inline std::vector<std::int32_t> fixed_blocks(const Shape& shape) {
  const std::int64_t blocks = shape.blocks(), kept = shape.kept();
  const std::int64_t near = near_of(shape.pattern == Pattern::strided, kept);
  std::vector<std::int32_t> chosen;
  for (std::int64_t row = 0; row < blocks; ++row) append_fixed_row(row, blocks, kept, near, chosen);
  return chosen;
}

}  // namespace sparse_attention
