// The choice of blocks of the pattern `threshold` in the call, as block_choice.h defines it, bit by bit:
// means of 128 tokens rounded to 8 bits, and for each block of queries the largest of their products.
#pragma once

#include "kernels/ptx/small.cuh"

namespace sparse_attention {

inline constexpr int most_blocks = 1024;  // of a sequence
inline constexpr int choosing_threads = 128;

struct PoolArguments {
  const std::uint16_t* q = nullptr;
  const std::uint16_t* k = nullptr;
  std::int8_t* codes = nullptr;  // of queries, then of keys: (matrices, blocks, dimension)
  int sequence = 0;
  float factor = 0;       // of the sum of a whole block
  float last_factor = 0;  // of the last block, which may be shorter
  int unused = 0;         // no padding
};
static_assert(sizeof(PoolArguments) == 3 * sizeof(void*) + 16);

// Grid: blocks, matrices, 2 (queries and keys). A thread sums a column, in the order of tokens.
template <int Dimension>
__global__ void __launch_bounds__(Dimension) pool_kernel(PoolArguments problem) {
  const int column = static_cast<int>(threadIdx.x);
  const int number = static_cast<int>(blockIdx.x);
  const bool last = blockIdx.x + 1 == gridDim.x;
  const int count = last ? problem.sequence - number * 128 : 128;
  const std::int64_t row = static_cast<std::int64_t>(blockIdx.y) * problem.sequence + number * 128;
  const std::uint16_t* const from = (blockIdx.z == 0 ? problem.q : problem.k) + row * Dimension + column;
  float sum = 0;
  constexpr int at_once = 16;  // loads under way together
  int token = 0;
  for (; token + at_once <= count; token += at_once) {
    float values[at_once];
    KERNEL_UNROLL
    for (int i = 0; i < at_once; ++i) values[i] = ptx::F16::widen(from[(token + i) * Dimension]);
    KERNEL_UNROLL
    for (int i = 0; i < at_once; ++i) sum += values[i];
  }
  for (; token < count; ++token) sum += ptx::F16::widen(from[token * Dimension]);
  const std::int64_t unit =
      (static_cast<std::int64_t>(blockIdx.z) * gridDim.y + blockIdx.y) * gridDim.x + blockIdx.x;
  problem.codes[unit * Dimension + column] =
      ptx::I8::narrow(sum * (last ? problem.last_factor : problem.factor));
}

struct ChoiceMemory {
  int scores[most_blocks];
  int chosen[most_blocks];
};

// Grid: blocks of queries, matrices. The earlier of two equal blocks of keys wins. Numbers ascend in a
// list.
template <int Dimension>
__global__ void __launch_bounds__(choosing_threads)
    choose_kernel(const std::int8_t* codes, int* kept, int blocks, int count) {
  KERNEL_SHARED(ChoiceMemory, memory);
  auto& [scores, chosen] = memory;
  const std::int64_t row = static_cast<std::int64_t>(blockIdx.y) * blocks + blockIdx.x;
  const std::int8_t* const query = codes + row * Dimension;
  const std::int8_t* const keys =
      codes + (static_cast<std::int64_t>(gridDim.y) + blockIdx.y) * blocks * Dimension;
  for (int j = static_cast<int>(threadIdx.x); j < blocks; j += choosing_threads) {
    int score = 0;
    for (int c = 0; c < Dimension; ++c) score += query[c] * keys[j * Dimension + c];
    scores[j] = score;
  }
  __syncthreads();
  for (int j = static_cast<int>(threadIdx.x); j < blocks; j += choosing_threads) {
    int before = 0;
    for (int i = 0; i < blocks; ++i)
      before += scores[i] > scores[j] || (scores[i] == scores[j] && i < j) ? 1 : 0;
    chosen[j] = before < count ? 1 : 0;
  }
  __syncthreads();
  for (int j = static_cast<int>(threadIdx.x); j < blocks; j += choosing_threads) {
    if (chosen[j] == 0) continue;
    int place = 0;
    for (int i = 0; i < j; ++i) place += chosen[i];
    kept[row * count + place] = j;
  }
}

}  // namespace sparse_attention
