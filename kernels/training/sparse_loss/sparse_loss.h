// sparse_loss as every variant sees it: its parameters, and the order of its tensors. The first ones are
// those of convergence. Host code.
#pragma once

#include <array>
#include <cstdint>

#include "harness/sdk/registry.h"
#include "kernels/sparse_attention/causal_blocks.h"
#include "kernels/sparse_attention/sparse_attention.h"
#include "kernels/training/attention_mask.h"
#include "kernels/training/convergence/convergence.h"

namespace training {

// Indices into Problem::tensors, after first_index.
inline constexpr std::size_t masks_index = 4;   // of a call: sparsities x layers x heads x blocks x blocks
inline constexpr std::size_t logits_index = 5;  // without a mask, then with each: x batch x s x symbols

// Percentages of blocks that are left out.
inline constexpr std::array<std::int64_t, 3> studied_sparsities{50, 75, 90};
inline constexpr std::int64_t studied_passes = 1 + std::ssize(studied_sparsities);

struct SparseStudy {
  ModelShape shape;
  std::int64_t batch;
  std::int64_t train_steps;
  std::int64_t held_out_batches;
  std::int64_t block;  // tokens
  sparse_attention::Pattern pattern;
  bool trains_sparse;  // the model is also trained with its mask

  [[nodiscard]] std::int64_t tokens() const { return batch * shape.sequence; }
  [[nodiscard]] std::int64_t blocks() const { return (shape.sequence + block - 1) / block; }
  [[nodiscard]] std::int64_t mask_bytes() const {
    return shape.layers * shape.heads * blocks() * blocks();  // of one sparsity, in a call
  }
  // Batches of the training's text by which `learned` chooses.
  [[nodiscard]] std::int64_t learning_batches() const { return std::min(held_out_batches, train_steps); }
};

inline SparseStudy study_of(const harness::sdk::Params& params) {
  return {
      {params.integer("d"), params.integer("heads"), params.integer("layers"), params.integer("s"), symbols},
      params.integer("batch"),
      params.integer("train_steps"),
      params.integer("held_out_batches"),
      params.integer("block"),
      sparse_attention::pattern_of(params.text("pattern")),
      params.text("trained") == "sparse"};
}

// Throws Unsupported where blocks cannot make a sparsity.
inline sparse_attention::CausalBlocks causal_blocks(const SparseStudy& study, std::int64_t sparsity) {
  return {study.shape.sequence, study.block, sparsity};
}

// The mask of pass `pass` of a call, whose masks begin at `masks`. The first pass has none.
inline AttentionMask mask_of_call(const SparseStudy& study, const std::uint8_t* masks, std::int64_t pass) {
  if (pass == 0) return {};
  return {masks + (pass - 1) * study.mask_bytes(), static_cast<std::int32_t>(study.block),
          static_cast<std::int32_t>(study.blocks()), static_cast<std::int32_t>(study.shape.heads), 0};
}

}  // namespace training
