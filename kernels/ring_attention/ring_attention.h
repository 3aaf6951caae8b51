// The problem ring_attention as every variant sees it: attention over a sequence whose queries, keys and
// values are divided among GPUs. Each GPU holds (h, s / gpus, d) of Q, K and V, and gets as much of O. So GPU
// r needs the keys and values of all others, a block in each step (after Liu, Zaharia and Abbeel, "Ring
// Attention with Blockwise Transformers for Near-Infinite Context", 2023). Host code; no state.
#pragma once

#include <cmath>
#include <cstddef>
#include <cstdint>

#include "harness/sdk/params.h"

namespace ring_attention {

// Of GPU r's tensors, which begin at Problem::tensors[4 r].
inline constexpr std::size_t q_index = 0;
inline constexpr std::size_t k_index = 1;
inline constexpr std::size_t v_index = 2;
inline constexpr std::size_t o_index = 3;
inline constexpr std::size_t tensors_of_gpu = 4;

struct Shape {
  harness::sdk::DType dtype = harness::sdk::DType::bf16;
  std::size_t gpus = 1;
  std::int64_t heads = 1;
  std::int64_t sequence = 1;  // of all GPUs together
  std::int64_t dimension = 1;

  // Queries, and as many keys, of each GPU.
  [[nodiscard]] std::int64_t block() const { return sequence / static_cast<std::int64_t>(gpus); }
  [[nodiscard]] std::int64_t block_elements() const { return heads * block() * dimension; }
  [[nodiscard]] double scale() const { return 1.0 / std::sqrt(static_cast<double>(dimension)); }
  // The owner of the block that GPU `gpu` takes in a step. In each step all GPUs take from different ones.
  [[nodiscard]] std::size_t owner(std::size_t gpu, std::size_t step) const { return (gpu + step) % gpus; }
};

inline Shape shape_of(const harness::sdk::Params& params) {
  Shape shape{params.dtype(), static_cast<std::size_t>(params.integer("gpus")), params.integer("h"),
              params.integer("s"), params.integer("d")};
  if (shape.sequence % static_cast<std::int64_t>(shape.gpus) != 0)
    throw harness::sdk::Unsupported("s must be a multiple of the number of GPUs");
  return shape;
}

}  // namespace ring_attention
