// A wide model that computes the same as a narrow one, many times: its weights repeat along the width, and
// its batch repeats sequences. So the right answer of a step that takes 10^13 operations follows from a model
// of the width of a few heads. Pure host code.
//
// With r replicas, products of W repeat the narrow model's weights, divided by r. Then every value of the
// wide model is a copy of one of the narrow model, and every gradient is one of its gradients, or that
// divided by r.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "kernels/training/model.h"

namespace training {

struct Replicas {
  ModelShape narrow;
  std::int64_t narrow_batch = 1;
  std::int64_t width = 1;  // copies of the narrow model's width
};

// The widest narrow model whose step takes at most about `flops`, or the narrowest one.
Replicas replicas_of(const ModelShape& wide, std::int64_t batch, double flops = 2e10);

// First weights by a seed: those of products uniform, with the variance that keeps values in their size.
std::vector<float> first_weights(const ModelShape& shape, std::uint64_t seed);

// A block of the wide model and that of the narrow one. The factors lead from narrow values to wide ones.
struct Repeated {
  Block wide;
  Block narrow;
  std::int64_t replicas;

  [[nodiscard]] std::int64_t narrow_index(std::int64_t row, std::int64_t column) const {
    const std::int64_t parts = wide.rows == 3 * wide.columns ? 3 : 1;  // queries, keys, values
    const std::int64_t rows = wide.rows / parts, narrow_rows = narrow.rows / parts;
    return narrow.first + (row / rows * narrow_rows + row % rows % narrow_rows) * narrow.columns +
           column % narrow.columns;
  }
  [[nodiscard]] double weight_factor() const {
    const bool is_product = wide.use == Block::Use::product || wide.use == Block::Use::head;
    return is_product ? 1 / static_cast<double>(replicas) : 1;
  }
  [[nodiscard]] double gradient_factor() const {
    return wide.use == Block::Use::head ? 1 : 1 / static_cast<double>(replicas);
  }
};
std::vector<Repeated> repeated_blocks(const ModelShape& wide, const Replicas& replicas);

// The wide model's weights from those of the narrow one, and back.
void widen_weights(const ModelShape& wide, const Replicas& replicas, std::span<const float> narrow,
                   std::span<float> weights);
std::vector<double> narrow_weights(const ModelShape& wide, const Replicas& replicas,
                                   std::span<const float> weights);

}  // namespace training
