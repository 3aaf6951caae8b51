// The kernel of the variant online: a thread a query, keys and values straight from memory, and no scores
// kept: the weights are relative to the largest score so far, and what was summed is brought to the new
// largest when one appears (Milakov and Gimelshein, 2018). D is the largest dimension it takes.
#pragma once

#include "kernels/attention/device_arguments.cuh"

namespace attention {

inline constexpr int online_threads = 64;

// The state of one query: its row, what it has summed, and the softmax so far.
template <class Element, int D>
struct OnlineQuery {
  float q[D];
  float sums[D];
  float top = minus_infinity();
  float total = 0;

  KERNEL_DEVICE void load(const std::uint16_t* from, int dimension, float scale2) {
    KERNEL_UNROLL
    for (int c = 0; c < D; ++c) {
      q[c] = c < dimension ? Element::widen(from[c]) * scale2 : 0.0F;
      sums[c] = 0;
    }
  }

  // Weighs a key's value by its score.
  template <class Value>
  KERNEL_DEVICE void add(float score, int dimension, Value value) {
    if (score > top) {
      const float factor = ptx::exp2_approximate(top - score);
      total *= factor;
      KERNEL_UNROLL
      for (int c = 0; c < D; ++c) sums[c] *= factor;
      top = score;
    }
    const float weight = ptx::exp2_approximate(score - top);
    total += weight;
    KERNEL_UNROLL
    for (int c = 0; c < D; ++c)
      if (c < dimension) sums[c] += weight * value(c);
  }

  KERNEL_DEVICE void store(std::uint16_t* to, int dimension) const {
    const float factor = 1.0F / total;
    KERNEL_UNROLL
    for (int c = 0; c < D; ++c)
      if (c < dimension) to[c] = Element::narrow(sums[c] * factor);
  }
};

// Grid: queries / online_threads, matrices.
template <class Element, int D>
__global__ void __launch_bounds__(online_threads) online_kernel(Arguments problem) {
  const int query = static_cast<int>(blockIdx.x) * online_threads + static_cast<int>(threadIdx.x);
  if (query >= problem.sequence) return;
  const int dimension = problem.dimension;
  const std::int64_t start = matrix_start(problem, static_cast<int>(blockIdx.y));
  const std::int64_t row = start + static_cast<std::int64_t>(query) * dimension;
  OnlineQuery<Element, D> state;
  state.load(problem.q + row, dimension, problem.scale2);
  for (int key = 0; key < keys_seen(problem, query); ++key) {
    const std::uint16_t* const k = problem.k + start + static_cast<std::int64_t>(key) * dimension;
    const std::uint16_t* const v = problem.v + start + static_cast<std::int64_t>(key) * dimension;
    float score = 0;
    KERNEL_UNROLL
    for (int c = 0; c < D; ++c)
      if (c < dimension) score += state.q[c] * Element::widen(k[c]);
    state.add(score, dimension, [v](int c) { return Element::widen(v[c]); });
  }
  state.store(problem.o + row, dimension);
}

}  // namespace attention
