// attention_problem(): tensors and work of workloads of attention, whatever their masks. Host code, no state.
#pragma once

#include <algorithm>
#include <vector>

#include "harness/sdk/params.h"
#include "harness/sdk/workload.h"

namespace kernels {

// An element of O costs its oracle as much as its query: all keys. So many multiplications take 16 threads a
// tenth of a second, and fewer elements would not average their errors out.
inline constexpr double attention_oracle_products = 0x1p31;
inline constexpr std::int64_t attention_least_checked = 256;

// `shape` has batch, heads, sequence and dimension. Tensors 0 to 3 are Q, K, V and O, (b, h, s, d) each. Work
// counts both matrix products, 4 d operations for each pair of a query and a key in `share` of all pairs. Q,
// K and V are read once, O is written once. Throws Unsupported where a tensor is larger than any memory.
template <class Shape>
harness::sdk::Problem attention_problem(const Shape& shape, harness::sdk::DType dtype, double share) {
  using harness::sdk::Role;
  const double rows = static_cast<double>(shape.batch) * static_cast<double>(shape.heads) *
                      static_cast<double>(shape.sequence);
  const double elements = rows * static_cast<double>(shape.dimension);
  if (elements > 0x1p38)
    throw harness::sdk::Unsupported("a tensor of more than 2^38 elements; choose smaller b, h, s or d");
  const std::vector<std::int64_t> extents = {shape.batch, shape.heads, shape.sequence, shape.dimension};
  harness::sdk::Problem problem;
  problem.tensors = {{"q", Role::input, dtype, extents},
                     {"k", Role::input, dtype, extents},
                     {"v", Role::input, dtype, extents},
                     {"o", Role::output, dtype, extents}};
  problem.work = {4.0 * share * elements * static_cast<double>(shape.sequence),
                  4.0 * elements * static_cast<double>(harness::sdk::size_of(dtype)),
                  static_cast<double>(shape.batch) * static_cast<double>(shape.sequence), "tokens"};
  const double keys = static_cast<double>(shape.sequence) * static_cast<double>(shape.dimension);
  problem.most_checked = std::max(attention_least_checked,
                                  static_cast<std::int64_t>(attention_oracle_products / std::max(keys, 1.0)));
  return problem;
}

// Throws Unsupported where a sequence is longer than kernels with lists of blocks take.
inline void require_possible_sequence(std::int64_t sequence) {
  if (sequence > 131072) throw harness::sdk::Unsupported("s must be at most 131072");
}

}  // namespace kernels
