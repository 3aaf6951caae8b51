// The masks of a character model by the patterns of sparse_attention. Host code, header-only: variants on
// CUDA have no other.
#pragma once

#include <cmath>
#include <random>
#include <vector>

#include "harness/sdk/dtype.h"
#include "harness/sdk/in_parts.h"
#include "kernels/sparse_attention/causal_blocks.h"
#include "kernels/training/attention_mask.h"
#include "kernels/training/model.h"

namespace training {

// A mask in host memory. Without lists all blocks are seen.
struct HostMask {
  std::int64_t block = 1;
  std::int64_t blocks = 1;
  std::int64_t lists = 0;          // of a layer
  std::vector<std::uint8_t> seen;  // as AttentionMask has it

  HostMask() = default;
  HostMask(const ModelShape& shape, const sparse_attention::CausalBlocks& of, std::int64_t lists_of_layer)
      : block(of.block()),
        blocks(of.blocks()),
        lists(lists_of_layer),
        seen(static_cast<std::size_t>(shape.layers * lists * of.list_bytes())) {}

  [[nodiscard]] std::int64_t layer_bytes() const { return lists * blocks * blocks; }
  [[nodiscard]] std::uint8_t* list(std::int64_t layer, std::int64_t index) {
    return seen.data() + (layer * lists + index) * blocks * blocks;
  }
  // The same mask with its blocks at `at`, or none.
  [[nodiscard]] AttentionMask at(const std::uint8_t* blocks_at) const {
    return {seen.empty() ? nullptr : blocks_at, static_cast<std::int32_t>(block),
            static_cast<std::int32_t>(blocks), static_cast<std::int32_t>(lists), 0};
  }
  [[nodiscard]] AttentionMask view() const { return at(seen.data()); }
};

// `banded` or `strided`: the same blocks in each head.
inline HostMask fixed_mask(const ModelShape& shape, const sparse_attention::CausalBlocks& blocks,
                           bool strided) {
  HostMask mask(shape, blocks, shape.heads);
  for (std::int64_t i = 0; i < shape.layers * shape.heads; ++i) blocks.see_fixed(strided, mask.list(0, i));
  return mask;
}

// Blocks by lot, others in each head: for checks of masks that depend on data.
inline HostMask random_mask(const ModelShape& shape, const sparse_attention::CausalBlocks& blocks,
                            std::uint64_t seed) {
  HostMask mask(shape, blocks, shape.heads);
  std::mt19937_64 random(seed);
  std::vector<double> weights(static_cast<std::size_t>(blocks.list_bytes()));
  for (std::int64_t i = 0; i < shape.layers * shape.heads; ++i) {
    for (double& weight : weights) weight = static_cast<double>(random() >> 11);
    blocks.see_heaviest(weights.data(), mask.list(0, i));
  }
  return mask;
}

// `threshold`: chooses for each sequence, layer and head by the queries and keys, f16. `mask` has a list for
// each sequence and head.
inline HeadsObserver choosing_observer(const ModelShape& shape, const sparse_attention::CausalBlocks& blocks,
                                       HostMask& mask) {
  return [shape, blocks, &mask](std::int64_t layer, const std::uint16_t* q, const std::uint16_t* k) {
    const std::int64_t of_matrix = shape.sequence * shape.head_size();
    harness::sdk::in_parts(mask.lists, 4, [&](std::int64_t first, std::int64_t last) {
      for (std::int64_t matrix = first; matrix < last; ++matrix)
        blocks.see_largest_products(q + matrix * of_matrix, k + matrix * of_matrix, shape.head_size(),
                                    mask.list(layer, matrix));
    });
  };
}

// `learned`: sums the probabilities that dense attention gives to each block, over sequences. A head keeps
// the blocks with the largest sums.
class BlockWeights {
 public:
  BlockWeights(const ModelShape& shape, std::int64_t block)
      : shape_(shape),
        block_(block),
        blocks_((shape.sequence + block - 1) / block),
        weights_(static_cast<std::size_t>(shape.layers * shape.heads * blocks_ * blocks_)) {}

  // Adds those of a batch of `count` sequences, whose queries and keys are f16.
  void add(std::int64_t layer, std::int64_t count, const std::uint16_t* q, const std::uint16_t* k) {
    const std::int64_t of_matrix = shape_.sequence * shape_.head_size();
    harness::sdk::in_parts(shape_.heads, 1, [&](std::int64_t first, std::int64_t last) {
      for (std::int64_t head = first; head < last; ++head)
        for (std::int64_t sequence = 0; sequence < count; ++sequence) {
          const std::int64_t matrix = sequence * shape_.heads + head;
          add_matrix(q + matrix * of_matrix, k + matrix * of_matrix, weights(layer, head));
        }
    });
  }

  [[nodiscard]] HostMask mask(const sparse_attention::CausalBlocks& blocks) {
    HostMask mask(shape_, blocks, shape_.heads);
    for (std::int64_t layer = 0; layer < shape_.layers; ++layer)
      for (std::int64_t head = 0; head < shape_.heads; ++head)
        blocks.see_heaviest(weights(layer, head), mask.list(layer, head));
    return mask;
  }

 private:
  [[nodiscard]] double* weights(std::int64_t layer, std::int64_t head) {
    return weights_.data() + (layer * shape_.heads + head) * blocks_ * blocks_;
  }

  void add_matrix(const std::uint16_t* q, const std::uint16_t* k, double* sums) const {
    const std::int64_t s = shape_.sequence, size = shape_.head_size();
    const auto count = static_cast<std::size_t>(s * size);
    std::vector<float> queries(count), keys(count), row(static_cast<std::size_t>(s));
    for (std::size_t i = 0; i < count; ++i) {
      queries[i] = harness::sdk::float_from_f16(q[i]) / std::sqrt(static_cast<float>(size));
      keys[i] = harness::sdk::float_from_f16(k[i]);
    }
    for (std::int64_t i = 0; i < s; ++i) {
      float largest = -INFINITY, total = 0;
      for (std::int64_t j = 0; j <= i; ++j) {
        float score = 0;
        for (std::int64_t c = 0; c < size; ++c)
          score +=
              queries[static_cast<std::size_t>(i * size + c)] * keys[static_cast<std::size_t>(j * size + c)];
        row[static_cast<std::size_t>(j)] = score;
        largest = std::max(largest, score);
      }
      for (std::int64_t j = 0; j <= i; ++j)
        total += row[static_cast<std::size_t>(j)] = std::exp(row[static_cast<std::size_t>(j)] - largest);
      for (std::int64_t j = 0; j <= i; ++j)
        sums[i / block_ * blocks_ + j / block_] +=
            static_cast<double>(row[static_cast<std::size_t>(j)] / total);
    }
  }

  ModelShape shape_;
  std::int64_t block_;
  std::int64_t blocks_;
  std::vector<double> weights_;  // (layers, heads, blocks, blocks)
};

}  // namespace training
