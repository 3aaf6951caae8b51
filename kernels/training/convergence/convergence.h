// convergence as every variant sees it: the order of its tensors, and which losses are told. Host code.
#pragma once

#include <algorithm>
#include <numeric>
#include <span>

#include "harness/sdk/registry.h"
#include "kernels/training/character_model.h"
#include "kernels/training/text.h"

namespace training {

// Indices into Problem::tensors.
inline constexpr std::size_t text_index = 0;      // symbols
inline constexpr std::size_t starts_index = 1;    // of sequences: train_steps x batch
inline constexpr std::size_t held_out_index = 2;  // likewise: batch
inline constexpr std::size_t first_index = 3;     // weights
inline constexpr std::size_t losses_index = 4;    // of the call's steps
inline constexpr std::size_t trained_index = 5;   // weights

struct Course {
  ModelShape shape;
  std::int64_t batch;
  std::int64_t steps;        // of a call
  std::int64_t train_steps;  // of the training that report() tells of
};

inline Course course_of(const harness::sdk::Params& params) {
  return {
      {params.integer("d"), params.integer("heads"), params.integer("layers"), params.integer("s"), symbols},
      params.integer("batch"),
      params.integer("steps"),
      params.integer("train_steps")};
}

// Fills the tensors up to first_index: with `held_out` sequences of the text that is never trained on.
void fill_course(const ModelShape& shape, std::int64_t batch, std::int64_t train_steps, std::int64_t held_out,
                 std::uint64_t seed, std::span<harness::sdk::HostTensor> inputs);

// Reports the loss of the last hundredth of steps up to a tenth, a half and all of them.
inline void report_losses(std::span<const float> losses, harness::sdk::MetricSink& sink) {
  const std::size_t window = std::max<std::size_t>(losses.size() / 100, 1);
  const auto until = [&](std::size_t end) {
    const auto last = losses.subspan(end - window, window);
    return std::accumulate(last.begin(), last.end(), 0.0) / static_cast<double>(window);
  };
  sink.report("loss_tenth", until(std::max(losses.size() / 10, window)));
  sink.report("loss_half", until(std::max(losses.size() / 2, window)));
  sink.report("loss_end", until(losses.size()));
}

}  // namespace training
