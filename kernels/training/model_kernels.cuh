// The kernels at the ends of a model: embedding, losses, and AdamW. A row has one block. Sums are taken in a
// fixed order, so that the same inputs give the same weights.
#pragma once

#include "kernels/training/eight.cuh"
#include "kernels/training/engine_options.h"

namespace training {

__global__ void __launch_bounds__(threads_a_block)
    embed_kernel(Tokens tokens, const float* embedding, const float* positions, std::uint16_t* x, int d) {
  const int token = static_cast<int>(blockIdx.x);
  embedding += static_cast<std::int64_t>(tokens.at(token, 0)) * d;
  positions += static_cast<std::int64_t>(token % tokens.sequence) * d;
  x += static_cast<std::int64_t>(token) * d;
  for (int i = first_of_block(); i < d; i += step_of_block) {
    Eight sum = load_eight(embedding + i);
    const Eight position = load_eight(positions + i);
    KERNEL_UNROLL
    for (int e = 0; e < 8; ++e) sum.values[e] += position.values[e];
    store_eight(x + i, sum);
  }
}

// The gradient of one symbol's row, or of a part of it. Grid: symbols, then parts. For a tile of tokens, each
// warp tells which of 32 are this symbol, as a word of bits. Groups of threads that are as wide as the part
// share the words, and a thread has several rows on their way.
inline constexpr int words_a_tile = 32;
__global__ void __launch_bounds__(threads_a_block)
    embed_backward_kernel(Tokens tokens, const std::uint16_t* of_x, float* of_embedding, int count, int d) {
  constexpr int tokens_a_tile = words_a_tile * 32, rows_at_once = 4;
  using Words = std::uint32_t[words_a_tile];
  using OfThreads = Eight[threads_a_block];
  KERNEL_SHARED(Words, words);
  KERNEL_SHARED(OfThreads, of_threads);
  const int symbol = static_cast<int>(blockIdx.x), thread = static_cast<int>(threadIdx.x);
  const int columns = d / static_cast<int>(gridDim.y), end = static_cast<int>(blockIdx.y + 1) * columns;
  const int width = columns < step_of_block ? columns / 8 : threads_a_block;
  const int groups = threads_a_block / width;
  const int group = thread / width, i = end - columns + thread % width * 8;
  Eight sums[2] = {};  // the second one where a part is wider than the block
  for (int first = 0; first < count; first += tokens_a_tile) {
    __syncthreads();
    KERNEL_UNROLL
    for (int of_tile = thread; of_tile < tokens_a_tile; of_tile += threads_a_block) {
      const int token = first + of_tile;
      const bool is_it = token < count && tokens.at(token, 0) == symbol;
      const std::uint32_t word = __ballot_sync(0xFFFFFFFFU, is_it ? 1 : 0);
      if (thread % 32 == 0) words[of_tile / 32] = word;
    }
    __syncthreads();
    if (group >= groups) continue;
    for (int at = group; at < words_a_tile; at += groups) {
      const std::uint16_t* const rows = of_x + static_cast<std::int64_t>(first + at * 32) * d + i;
      for (std::uint32_t bits = words[at]; bits != 0;) {
        uint4 pieces[rows_at_once][2] = {};
        KERNEL_UNROLL
        for (int r = 0; r < rows_at_once; ++r) {
          if (bits == 0) continue;
          const std::uint16_t* const row = rows + (__ffs(static_cast<int>(bits)) - 1) * d;
          bits &= bits - 1;
          pieces[r][0] = load_piece(row);
          if (i + step_of_block < end) pieces[r][1] = load_piece(row + step_of_block);
        }
        KERNEL_UNROLL
        for (int r = 0; r < rows_at_once; ++r) {
          KERNEL_UNROLL
          for (int c = 0; c < 2; ++c) {
            const Eight one = eight_of(pieces[r][c]);
            KERNEL_UNROLL
            for (int e = 0; e < 8; ++e) sums[c].values[e] += one.values[e];
          }
        }
      }
    }
  }
  of_threads[thread] = sums[0];
  __syncthreads();
  if (group > 0) return;
  for (int other = 1; other < groups; ++other) {
    const Eight& theirs = of_threads[other * width + thread];
    KERNEL_UNROLL
    for (int e = 0; e < 8; ++e) sums[0].values[e] += theirs.values[e];
  }
  of_embedding += static_cast<std::int64_t>(symbol) * d + i;
  store_eight(of_embedding, sums[0]);
  if (i + step_of_block < end) store_eight(of_embedding + step_of_block, sums[1]);
}

// The gradient of one position's row.
__global__ void __launch_bounds__(threads_a_block)
    positions_backward_kernel(const std::uint16_t* of_x, float* of_positions, int batch, int sequence,
                              int d) {
  const int position = static_cast<int>(blockIdx.x);
  for (int i = first_of_block(); i < d; i += step_of_block) {
    Eight sum = {};
    for (int b = 0; b < batch; ++b) {
      const Eight one = load_eight(of_x + (static_cast<std::int64_t>(b) * sequence + position) * d + i);
      KERNEL_UNROLL
      for (int e = 0; e < 8; ++e) sum.values[e] += one.values[e];
    }
    store_eight(of_positions + static_cast<std::int64_t>(position) * d + i, sum);
  }
}

// A token's logits to their gradient, and its loss. With `factor` 0 the gradient is not wanted.
__global__ void __launch_bounds__(threads_a_block)
    cross_entropy_kernel(std::uint16_t* logits, Tokens tokens, float* losses, int vocabulary, float factor) {
  KERNEL_SHARED(OfWarps, parts);
  const int token = static_cast<int>(blockIdx.x);
  logits += static_cast<std::int64_t>(token) * vocabulary;
  const int wanted = tokens.at(token, 1);
  const float of_wanted = ptx::BF16::widen(logits[wanted]);
  float largest = -3e38F;
  for (int i = first_of_block(); i < vocabulary; i += step_of_block) {
    const Eight eight = load_eight(logits + i);
    KERNEL_UNROLL
    for (int e = 0; e < 8; ++e) largest = fmaxf(largest, eight.values[e]);
  }
  largest = over_block<true>(largest, parts);
  float sum = 0;
  for (int i = first_of_block(); i < vocabulary; i += step_of_block) {
    const Eight eight = load_eight(logits + i);
    KERNEL_UNROLL
    for (int e = 0; e < 8; ++e) sum += expf(eight.values[e] - largest);
  }
  sum = over_block<false>(sum, parts);
  if (threadIdx.x == 0) losses[token] = logf(sum) + largest - of_wanted;
  if (factor == 0) return;
  const float scale = factor / sum;
  for (int i = first_of_block(); i < vocabulary; i += step_of_block) {
    Eight eight = load_eight(logits + i);
    KERNEL_UNROLL
    for (int e = 0; e < 8; ++e) {
      eight.values[e] = expf(eight.values[e] - largest) * scale;
      if (i + e == wanted) eight.values[e] -= factor;
    }
    store_eight(logits + i, eight);
  }
}

// Half the squared distance of a row to its target, and its gradient times `factor`. `largest` (null: not
// wanted) gets that gradient's largest magnitude.
__global__ void __launch_bounds__(threads_a_block)
    distance_kernel(const std::uint16_t* x, const float* target, std::uint16_t* of_x, float* losses,
                    std::uint32_t* largest, int d, float factor) {
  KERNEL_SHARED(OfWarps, parts);
  const std::int64_t at = static_cast<std::int64_t>(blockIdx.x) * d;
  float sum = 0, mine = 0;
  for (int i = first_of_block(); i < d; i += step_of_block) {
    Eight off = load_eight(x + at + i);
    const Eight wanted = load_eight(target + at + i);
    KERNEL_UNROLL
    for (int e = 0; e < 8; ++e) {
      off.values[e] -= wanted.values[e];
      sum += off.values[e] * off.values[e] / 2;
      off.values[e] *= factor;
    }
    mine = fmaxf(mine, largest_of(off));
    store_eight(of_x + at + i, off);
  }
  tell_largest_stored(mine, largest, parts);
  sum = over_block<false>(sum, parts);
  if (threadIdx.x == 0) losses[blockIdx.x] = sum;
}

// One block: the sum of all losses times `factor`, for the step that `step` tells (null: the first).
__global__ void __launch_bounds__(threads_a_block)
    mean_loss_kernel(const float* losses, int count, float factor, const std::int32_t* step, float* mean) {
  KERNEL_SHARED(OfWarps, parts);
  float sum = 0;
  for (int i = static_cast<int>(threadIdx.x); i < count; i += threads_a_block) sum += losses[i];
  sum = over_block<false>(sum, parts);
  if (threadIdx.x == 0) mean[step == nullptr ? 0 : *step] = sum * factor;
}

// The step's number is *step, or the first. A thread has four neighbours: its accesses are 16 bytes, and
// those of a warp fill whole lines. One thread a block computes the factors, while the block's loads are on
// their way.
inline constexpr int adamw_elements = threads_a_block * 4;  // of a block
__global__ void __launch_bounds__(threads_a_block)
    adamw_step_kernel(Optimizer by, const std::int32_t* step, const float* gradient, float* weights,
                      float* mean, float* variance, std::int64_t count) {
  KERNEL_SHARED(StepFactors, factors);
  const std::int64_t i = first_of_grid() / 2;
  Four slope = {}, weight = {}, first = {}, second = {};
  if (i < count) {
    slope = load_four(gradient + i);
    weight = load_four(weights + i);
    first = load_four(mean + i);
    second = load_four(variance + i);
  }
  if (threadIdx.x == 0) factors = step_factors(by, step == nullptr ? 0 : *step);
  __syncthreads();
  if (i >= count) return;
  KERNEL_UNROLL
  for (int e = 0; e < 4; ++e)
    update_weight(by, factors, slope.values[e], weight.values[e], first.values[e], second.values[e]);
  store_four(weights + i, weight);
  store_four(mean + i, first);
  store_four(variance + i, second);
}

// One block: the next step.
__global__ void __launch_bounds__(threads_a_block) next_step_kernel(std::int32_t* step) {
  if (threadIdx.x == 0) ++*step;
}

}  // namespace training
