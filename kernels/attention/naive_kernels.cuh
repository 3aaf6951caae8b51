// The kernels of the variant naive: scores to memory, softmax in place, weighted sums from memory. `scores`
// has a float32 (sequence, sequence) matrix for each of the problem's.
#pragma once

#include "kernels/attention/device_arguments.cuh"

namespace attention {

inline constexpr int naive_side = 16;         // threads each way of a block, one element each
inline constexpr int naive_softmax_rows = 4;  // warps of a block, one row each

KERNEL_DEVICE float* score_matrix(const Arguments& problem, float* scores, int matrix) {
  return scores + static_cast<std::int64_t>(matrix) * problem.sequence * problem.sequence;
}

// A thread a score. Grid: keys, queries, matrices.
template <class Element>
__global__ void naive_scores(Arguments problem, float* scores) {
  const int key = static_cast<int>(blockIdx.x) * naive_side + static_cast<int>(threadIdx.x);
  const int query = static_cast<int>(blockIdx.y) * naive_side + static_cast<int>(threadIdx.y);
  const int matrix = static_cast<int>(blockIdx.z);
  if (key >= problem.sequence || query >= problem.sequence) return;
  const std::int64_t start = matrix_start(problem, matrix);
  const std::uint16_t* const q = problem.q + start + static_cast<std::int64_t>(query) * problem.dimension;
  const std::uint16_t* const k = problem.k + start + static_cast<std::int64_t>(key) * problem.dimension;
  float sum = 0;
  for (int c = 0; c < problem.dimension; ++c) sum += Element::widen(q[c]) * Element::widen(k[c]);
  const bool seen = key < keys_seen(problem, query);
  score_matrix(problem, scores, matrix)[static_cast<std::int64_t>(query) * problem.sequence + key] =
      seen ? sum * problem.scale2 : minus_infinity();
}

// A warp a row. Grid: queries / naive_softmax_rows, matrices.
template <class Element>
__global__ void naive_softmax(Arguments problem, float* scores) {
  const int query = static_cast<int>(blockIdx.x) * naive_softmax_rows + static_cast<int>(threadIdx.y);
  if (query >= problem.sequence) return;
  float* const row = score_matrix(problem, scores, static_cast<int>(blockIdx.y)) +
                     static_cast<std::int64_t>(query) * problem.sequence;
  float top = minus_infinity();
  for (int j = static_cast<int>(threadIdx.x); j < problem.sequence; j += 32) top = fmaxf(top, row[j]);
  top = ptx::warp_max(top);
  float total = 0;
  for (int j = static_cast<int>(threadIdx.x); j < problem.sequence; j += 32)
    total += row[j] = ptx::exp2_approximate(row[j] - top);
  const float factor = 1.0F / ptx::warp_sum(total);
  for (int j = static_cast<int>(threadIdx.x); j < problem.sequence; j += 32) row[j] *= factor;
}

// A thread an element of O. Grid: columns, queries, matrices.
template <class Element>
__global__ void naive_output(Arguments problem, float* scores) {
  const int column = static_cast<int>(blockIdx.x) * naive_side + static_cast<int>(threadIdx.x);
  const int query = static_cast<int>(blockIdx.y) * naive_side + static_cast<int>(threadIdx.y);
  const int matrix = static_cast<int>(blockIdx.z);
  if (column >= problem.dimension || query >= problem.sequence) return;
  const std::int64_t start = matrix_start(problem, matrix);
  const float* const weights =
      score_matrix(problem, scores, matrix) + static_cast<std::int64_t>(query) * problem.sequence;
  float sum = 0;
  for (int j = 0; j < keys_seen(problem, query); ++j)
    sum += weights[j] *
           Element::widen(problem.v[start + static_cast<std::int64_t>(j) * problem.dimension + column]);
  problem.o[start + static_cast<std::int64_t>(query) * problem.dimension + column] = Element::narrow(sum);
}

}  // namespace attention
