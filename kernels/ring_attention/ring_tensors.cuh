// The variants of ring_attention on GPUs have this in common: the cases that they take, and their tensors as
// kernels see them. Host code; no state.
#pragma once

#include <string>

#include "kernels/attention/wgmma/tiles.cuh"
#include "kernels/launch.cuh"
#include "kernels/ptx/tensor_map.cuh"
#include "kernels/ring_attention/ring_attention.h"

namespace ring_attention {

inline void require_supported(const Shape& shape, const harness::sdk::DeviceTraits& traits) {
  using harness::sdk::Unsupported;
  if (shape.dimension != 64 && shape.dimension != 128)
    throw Unsupported("written for d = 64 and 128; this case has d = " + std::to_string(shape.dimension));
  kernels::require_hopper(traits);
  if (shape.block() > std::int64_t{1} << 20) throw Unsupported("a GPU's block must be at most 2^20 tokens");
}

// Describes so many blocks of a GPU, one after the other, in boxes of `rows` tokens.
inline ptx::TensorMap map_of(const Shape& shape, const std::uint16_t* tensor, int rows,
                             std::size_t blocks = 1) {
  const ptx::TensorLayout layout =
      attention::wgmma_layout(static_cast<int>(shape.dimension), static_cast<int>(shape.block()),
                              static_cast<int>(shape.heads) * static_cast<int>(blocks), rows);
  return shape.dtype == harness::sdk::DType::f16 ? ptx::make_tensor_map<ptx::F16>(tensor, layout)
                                                 : ptx::make_tensor_map<ptx::BF16>(tensor, layout);
}

// Problem: attention::Arguments and more.
template <class Problem>
Problem arguments_of(const Shape& shape, std::uint16_t* o) {
  constexpr double log2_of_e = 1.44269504088896340736;
  Problem problem;
  problem.o = o;
  problem.sequence = static_cast<int>(shape.block());
  problem.dimension = static_cast<int>(shape.dimension);
  problem.scale2 = static_cast<float>(shape.scale() * log2_of_e);
  return problem;
}

inline dim3 grid_of(const Shape& shape, int queries) {
  return {static_cast<unsigned>((shape.block() + queries - 1) / queries), static_cast<unsigned>(shape.heads)};
}

}  // namespace ring_attention
