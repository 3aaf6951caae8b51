// AttentionMask: the blocks of keys that attention sees, for models on the CPU and on devices. For host and
// device code.
#pragma once

#include <cstdint>
#include <functional>
#include <type_traits>

#include "kernels/host_device.h"

namespace training {

// Attention is causal besides. Each block of queries sees a key of its first query's own block or before it.
struct AttentionMask {
  // (layers, lists, blocks of queries, blocks of keys): 1 where a block is seen, else 0. Null: all are.
  const std::uint8_t* seen = nullptr;
  std::int32_t block = 1;   // tokens
  std::int32_t blocks = 1;  // of a sequence
  std::int32_t lists = 1;   // of a layer: heads, or batch x heads
  std::int32_t unused = 0;  // no padding

  [[nodiscard]] KERNELS_BOTH AttentionMask of_layer(std::int64_t layer) const {
    AttentionMask of = *this;
    if (seen != nullptr) of.seen += layer * lists * blocks * blocks;
    return of;
  }
  // A query's row of blocks of keys, in the list of `matrix`: sequence x heads + head.
  [[nodiscard]] KERNELS_BOTH const std::uint8_t* row(std::int64_t matrix, std::int64_t query) const {
    return seen + (matrix % lists * blocks + query / block) * blocks;
  }
};
static_assert(std::has_unique_object_representations_v<AttentionMask>);

// Called before the attention of a layer with its queries and keys, (batch x heads, sequence, size) each, in
// 16 bits. May change the mask of this layer.
using HeadsObserver =
    std::function<void(std::int64_t layer, const std::uint16_t* queries, const std::uint16_t* keys)>;

}  // namespace training
