// The kernels between the products of a layer: norms, GELU, softmax, and heads taken apart and put together,
// forward and backward. Activations are BF16, sums float32. A row has one block.
#pragma once

#include "kernels/training/attention_mask.h"
#include "kernels/training/eight.cuh"

namespace training {

// float32 to BF16; a grid of any size.
__global__ void __launch_bounds__(threads_a_block)
    cast_kernel(const float* from, std::uint16_t* to, std::int64_t count) {
  for (std::int64_t i = first_of_grid(); i < count; i += step_of_grid())
    store_eight(to + i, load_eight(from + i));
}

__global__ void __launch_bounds__(threads_a_block)
    norm_kernel(const std::uint16_t* x, const float* gains, std::uint16_t* y, float* roots, int d) {
  KERNEL_SHARED(OfWarps, parts);
  x += static_cast<std::int64_t>(blockIdx.x) * d;
  y += static_cast<std::int64_t>(blockIdx.x) * d;
  float squares = 0;
  for (int i = first_of_block(); i < d; i += step_of_block) {
    const Eight eight = load_eight(x + i);
    KERNEL_UNROLL
    for (int e = 0; e < 8; ++e) squares += eight.values[e] * eight.values[e];
  }
  squares = over_block<false>(squares, parts);
  const float root = rsqrtf(squares / static_cast<float>(d) + 1e-5F);
  if (threadIdx.x == 0) roots[blockIdx.x] = root;
  for (int i = first_of_block(); i < d; i += step_of_block) {
    Eight eight = load_eight(x + i);
    const Eight gain = load_eight(gains + i);
    KERNEL_UNROLL
    for (int e = 0; e < 8; ++e) eight.values[e] *= root * gain.values[e];
    store_eight(y + i, eight);
  }
}

inline constexpr int widest = 2 * step_of_block;  // d that norm_backward_kernel takes

// Adds the gradient of x to of_x. Each block takes rows in steps of the grid and leaves its part of the
// gains' gradient in its row of `partial`.
__global__ void __launch_bounds__(threads_a_block)
    norm_backward_kernel(const std::uint16_t* x, const float* roots, const float* gains,
                         const std::uint16_t* of_y, std::uint16_t* of_x, float* partial, int rows, int d) {
  KERNEL_SHARED(OfWarps, parts);
  Eight of_gains[2] = {};
  for (int row = static_cast<int>(blockIdx.x); row < rows; row += static_cast<int>(gridDim.x)) {
    const std::int64_t at = static_cast<std::int64_t>(row) * d;
    const float root = roots[row];
    Eight normal[2] = {}, above[2] = {};
    float along = 0;
    KERNEL_UNROLL
    for (int c = 0; c < 2; ++c) {
      const int i = first_of_block() + c * step_of_block;
      if (i >= d) continue;
      normal[c] = load_eight(x + at + i);
      above[c] = load_eight(of_y + at + i);
      const Eight gain = load_eight(gains + i);
      KERNEL_UNROLL
      for (int e = 0; e < 8; ++e) {
        normal[c].values[e] *= root;
        of_gains[c].values[e] += above[c].values[e] * normal[c].values[e];
        above[c].values[e] *= gain.values[e];
        along += above[c].values[e] * normal[c].values[e];
      }
    }
    along = over_block<false>(along, parts) / static_cast<float>(d);
    KERNEL_UNROLL
    for (int c = 0; c < 2; ++c) {
      const int i = first_of_block() + c * step_of_block;
      if (i >= d) continue;
      Eight sum = load_eight(of_x + at + i);
      KERNEL_UNROLL
      for (int e = 0; e < 8; ++e) sum.values[e] += root * (above[c].values[e] - normal[c].values[e] * along);
      store_eight(of_x + at + i, sum);
    }
  }
  KERNEL_UNROLL
  for (int c = 0; c < 2; ++c) {
    const int i = first_of_block() + c * step_of_block;
    if (i < d) store_eight(partial + static_cast<std::int64_t>(blockIdx.x) * d + i, of_gains[c]);
  }
}

// The sum of rows; a thread a column.
__global__ void __launch_bounds__(threads_a_block)
    sum_rows_kernel(const float* partial, int rows, int d, float* sums) {
  const int column = static_cast<int>(blockIdx.x * threads_a_block + threadIdx.x);
  if (column >= d) return;
  float sum = 0;
  for (int row = 0; row < rows; ++row) sum += partial[static_cast<std::int64_t>(row) * d + column];
  sums[column] = sum;
}

// Rows of `parts` x heads x size to parts x batch x heads x sequence x size, or back.
template <bool apart>
__global__ void __launch_bounds__(threads_a_block)
    heads_kernel(const std::uint16_t* from, std::uint16_t* to, std::int64_t tokens, int parts, int heads,
                 int sequence, int size) {
  const int d = heads * size;
  const std::int64_t count = tokens * parts * d;
  for (std::int64_t i = first_of_grid(); i < count; i += step_of_grid()) {
    const std::int64_t token = i / (parts * d);
    const int column = static_cast<int>(i % (parts * d));
    const int head = column % d / size;
    const std::int64_t row = (token / sequence * heads + head) * sequence + token % sequence;
    const std::int64_t in_heads = column / d * tokens * d + row * size + column % size;
    if constexpr (apart)
      *reinterpret_cast<uint4*>(to + in_heads) = *reinterpret_cast<const uint4*>(from + i);
    else
      *reinterpret_cast<uint4*>(to + i) = *reinterpret_cast<const uint4*>(from + in_heads);
  }
}

// A row of scores to probabilities over the keys up to its own token, and of blocks that the layer's mask
// sees; zeros for the others.
template <bool masked>
__global__ void __launch_bounds__(threads_a_block)
    softmax_kernel(std::uint16_t* scores, int sequence, AttentionMask mask) {
  KERNEL_SHARED(OfWarps, parts);
  scores += static_cast<std::int64_t>(blockIdx.x) * sequence;
  const int query = static_cast<int>(blockIdx.x % static_cast<unsigned>(sequence));
  const int seen = query + 1;
  const std::uint8_t* const seen_blocks =
      masked ? mask.row(blockIdx.x / static_cast<unsigned>(sequence), query) : nullptr;
  const auto sees = [&](int key) { return key < seen && (!masked || seen_blocks[key / mask.block] != 0); };
  float largest = -3e38F;
  for (int i = first_of_block(); i < seen; i += step_of_block) {
    const Eight eight = load_eight(scores + i);
    KERNEL_UNROLL
    for (int e = 0; e < 8; ++e)
      if (sees(i + e)) largest = fmaxf(largest, eight.values[e]);
  }
  constexpr float log2_e = 1.4426950408889634F;
  largest = over_block<true>(largest, parts) * log2_e;
  float sum = 0;
  for (int i = first_of_block(); i < seen; i += step_of_block) {
    const Eight eight = load_eight(scores + i);
    KERNEL_UNROLL
    for (int e = 0; e < 8; ++e)
      if (sees(i + e)) sum += ptx::exp2_approximate(eight.values[e] * log2_e - largest);
  }
  const float inverse = 1.0F / over_block<false>(sum, parts);
  for (int i = first_of_block(); i < sequence; i += step_of_block) {
    Eight eight = {};
    if (i < seen) eight = load_eight(scores + i);
    KERNEL_UNROLL
    for (int e = 0; e < 8; ++e)
      eight.values[e] =
          sees(i + e) ? ptx::exp2_approximate(eight.values[e] * log2_e - largest) * inverse : 0.0F;
    store_eight(scores + i, eight);
  }
}

// slopes: of probabilities, then of scores.
__global__ void __launch_bounds__(threads_a_block)
    softmax_backward_kernel(const std::uint16_t* probabilities, std::uint16_t* slopes, int sequence) {
  KERNEL_SHARED(OfWarps, parts);
  probabilities += static_cast<std::int64_t>(blockIdx.x) * sequence;
  slopes += static_cast<std::int64_t>(blockIdx.x) * sequence;
  const int seen = static_cast<int>(blockIdx.x % static_cast<unsigned>(sequence)) + 1;
  float mean = 0;
  for (int i = first_of_block(); i < seen; i += step_of_block) {
    const Eight weight = load_eight(probabilities + i), slope = load_eight(slopes + i);
    KERNEL_UNROLL
    for (int e = 0; e < 8; ++e)
      if (i + e < seen) mean += weight.values[e] * slope.values[e];
  }
  mean = over_block<false>(mean, parts);
  for (int i = first_of_block(); i < sequence; i += step_of_block) {
    Eight slope = {};
    if (i < seen) {
      const Eight weight = load_eight(probabilities + i), old = load_eight(slopes + i);
      KERNEL_UNROLL
      for (int e = 0; e < 8; ++e)
        slope.values[e] = i + e < seen ? weight.values[e] * (old.values[e] - mean) : 0.0F;
    }
    store_eight(slopes + i, slope);
  }
}

KERNEL_DEVICE float tangent_of_gelu(float x) {
  return tanhf(0.7978845608F * (x + 0.044715F * x * x * x));
}

__global__ void __launch_bounds__(threads_a_block)
    gelu_kernel(const std::uint16_t* f, std::uint16_t* u, std::int64_t count) {
  for (std::int64_t i = first_of_grid(); i < count; i += step_of_grid()) {
    Eight eight = load_eight(f + i);
    KERNEL_UNROLL
    for (int e = 0; e < 8; ++e) eight.values[e] *= 0.5F * (1.0F + tangent_of_gelu(eight.values[e]));
    store_eight(u + i, eight);
  }
}

// slopes: of u, then of f.
__global__ void __launch_bounds__(threads_a_block)
    gelu_backward_kernel(const std::uint16_t* f, std::uint16_t* slopes, std::int64_t count) {
  for (std::int64_t i = first_of_grid(); i < count; i += step_of_grid()) {
    const Eight at = load_eight(f + i);
    Eight slope = load_eight(slopes + i);
    KERNEL_UNROLL
    for (int e = 0; e < 8; ++e) {
      const float x = at.values[e], tangent = tangent_of_gelu(x);
      const float inner = 0.7978845608F * (1.0F + 0.134145F * x * x);
      slope.values[e] *= 0.5F * (1.0F + tangent) + 0.5F * x * (1.0F - tangent * tangent) * inner;
    }
    store_eight(slopes + i, slope);
  }
}

}  // namespace training
