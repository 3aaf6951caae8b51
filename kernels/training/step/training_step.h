// training_step as every variant sees it: its parameters and the order of its tensors. Host code.
#pragma once

#include <string>

#include "harness/sdk/params.h"
#include "kernels/training/model.h"
#include "kernels/training/optimizer.h"

namespace training {

// Indices into Problem::tensors. The first three are changed in place. With a vocabulary the input is one
// tensor of tokens, and there is no target.
inline constexpr std::size_t weights_index = 0;
inline constexpr std::size_t mean_index = 1;
inline constexpr std::size_t variance_index = 2;
inline constexpr std::size_t input_index = 3;
inline constexpr std::size_t target_index = 4;
inline std::size_t loss_index(const ModelShape& shape) {
  return shape.vocabulary > 0 ? 4 : 5;
}
// Outputs are numbered as the tensors are that a call writes.
inline constexpr std::size_t loss_output = 3;

// Each call is the first step, whatever the moments are by then.
inline constexpr Optimizer step_optimizer{.rate = 1e-4F};
inline constexpr int step_number = 0;

inline ModelShape shape_of(const harness::sdk::Params& params) {
  return {params.integer("d"), params.integer("heads"), params.integer("layers"), params.integer("s"),
          params.integer("vocabulary")};
}

}  // namespace training
