// The choice of blocks of the pattern `threshold`, for the oracle and CPU variants: the mean of each 128
// queries and of each 128 keys is rounded to 8 bits. Each block of queries keeps the blocks of keys whose
// means have the largest products with its own. The threshold is thus one of each block of queries. Means are
// summed in the order of tokens and the rest is whole numbers, so that every variant chooses the same blocks,
// bit by bit. Host code.
#pragma once

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <vector>

#include "kernels/sparse_attention/sparse_attention.h"

namespace sparse_attention {

class BlockChoice {
 public:
  explicit BlockChoice(const Shape& shape)
      : shape_(shape),
        codes_(static_cast<std::size_t>(2 * shape.matrices() * shape.blocks() * shape.dimension)) {}

  // The units of work before choose(): blocks of both tensors. Each may run on another thread.
  [[nodiscard]] std::int64_t pooled() const { return 2 * shape_.matrices() * shape_.blocks(); }
  void pool(const std::uint16_t* q, const std::uint16_t* k, std::int64_t unit) {
    const std::int64_t d = shape_.dimension;
    const std::int64_t of_tensor = unit % (shape_.matrices() * shape_.blocks());
    const std::int64_t first = of_tensor % shape_.blocks() * block;
    const std::int64_t count = std::min(block, shape_.sequence - first);
    const std::uint16_t* const from =
        (unit == of_tensor ? q : k) + (of_tensor / shape_.blocks() * shape_.sequence + first) * d;
    mean_codes(from, count, d, codes_.data() + unit * d);
  }

  // The units of work after pool(): blocks of queries. Writes kept() numbers to `chosen`, ascending.
  [[nodiscard]] std::int64_t rows() const { return shape_.matrices() * shape_.blocks(); }
  void choose(std::int64_t row, std::int32_t* chosen) const {
    const std::int64_t d = shape_.dimension, blocks = shape_.blocks();
    const std::int8_t* const query = codes_.data() + row * d;
    const std::int8_t* const keys = codes_.data() + (rows() + row / blocks * blocks) * d;
    choose_largest(code_products(query, keys, blocks, d), shape_.kept(), chosen);
  }

 private:
  Shape shape_;
  std::vector<std::int8_t> codes_;  // queries, then keys: (matrices, blocks, d)
};

// The blocks that a case keeps, however its pattern tells them: kept() numbers for each block of queries, of
// one matrix or of all. each(count, work) calls work(i) for every i below count.
template <class Each>
std::vector<std::int32_t> kept_blocks(const Shape& shape, const void* q, const void* k, const void* chosen,
                                      const Each& each) {
  if (shape.pattern != Pattern::threshold && shape.pattern != Pattern::learned) return fixed_blocks(shape);
  std::vector<std::int32_t> kept(static_cast<std::size_t>(shape.matrices() * shape.blocks() * shape.kept()));
  if (shape.pattern == Pattern::learned) {
    std::memcpy(kept.data(), chosen, kept.size() * sizeof(std::int32_t));
    return kept;
  }
  BlockChoice choice(shape);
  each(choice.pooled(), [&](std::int64_t unit) {
    choice.pool(static_cast<const std::uint16_t*>(q), static_cast<const std::uint16_t*>(k), unit);
  });
  each(choice.rows(), [&](std::int64_t row) { choice.choose(row, kept.data() + row * shape.kept()); });
  return kept;
}

// Tells of a query and a key whether their block is kept.
class KeptBlocks {
 public:
  KeptBlocks() = default;
  KeptBlocks(const Shape& shape, const std::vector<std::int32_t>& kept)
      : blocks_(shape.blocks()),
        lists_(shape.lists()),
        seen_(static_cast<std::size_t>(lists_ * blocks_ * blocks_)) {
    for (std::size_t i = 0; i < kept.size(); ++i) {
      const std::int64_t row = static_cast<std::int64_t>(i) / shape.kept();
      seen_[static_cast<std::size_t>(row * blocks_ + kept[i])] = 1;
    }
  }
  [[nodiscard]] bool at(std::int64_t matrix, std::int64_t query, std::int64_t key) const {
    const std::int64_t row = matrix % lists_ * blocks_ + query / block;
    return seen_[static_cast<std::size_t>(row * blocks_ + key / block)] != 0;
  }

 private:
  std::int64_t blocks_ = 0;
  std::int64_t lists_ = 1;
  std::vector<std::uint8_t> seen_;
};

}  // namespace sparse_attention
