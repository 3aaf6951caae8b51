// step_kernel: one operation of the block for each eight elements of its result, as a library without fusion
// does it: a bias, GELU, a sum, heads moved apart or together. Kernel code.
#pragma once

#include <type_traits>

#include "kernels/block/heads.cuh"
#include "kernels/linear_gelu/gelu_epilogue.cuh"
#include "kernels/operators/row_chunk.cuh"

namespace transformer_block {

inline constexpr int step_threads = 256;

// All tensors have rows of `width` elements, a multiple of 8, except where heads move.
struct StepArguments {
  const std::uint16_t* x = nullptr;
  const std::uint16_t* second = nullptr;  // the bias, or what is added
  std::uint16_t* y = nullptr;
  std::int64_t elements = 0;  // of y
  int width = 0;
  int unused = 0;
  HeadSplit split;
};
static_assert(std::has_unique_object_representations_v<StepArguments>);

enum class Step { bias, gelu, add, bias_and_split, merge, relu };

template <Step step>
__global__ void __launch_bounds__(step_threads) step_kernel(StepArguments of) {
  using Type = ptx::F16;
  const std::int64_t at = (static_cast<std::int64_t>(blockIdx.x) * step_threads + threadIdx.x) * 8;
  if (at >= of.elements) return;
  const auto token = static_cast<int>(at / of.width), column = static_cast<int>(at % of.width);
  const std::int64_t apart = of.split.place(token, column);
  const operators::RowChunk x = operators::chunk_at(of.x + (step == Step::merge ? apart : at));
  operators::RowChunk second = {};
  if constexpr (step == Step::bias || step == Step::bias_and_split)
    second = operators::chunk_at(of.second + column);
  if constexpr (step == Step::add) second = operators::chunk_at(of.second + at);
  float values[8];
  KERNEL_UNROLL
  for (int i = 0; i < 8; ++i) {
    values[i] = operators::element_of<Type>(x, i) + operators::element_of<Type>(second, i);
    if constexpr (step == Step::gelu)
      values[i] = linear_gelu::gelu_of<linear_gelu::Gelu::tanh_form>(values[i]);
    if constexpr (step == Step::relu) values[i] = fmaxf(values[i], 0.0F);
  }
  operators::store_chunk<Type>(of.y + (step == Step::bias_and_split ? apart : at), values);
}

}  // namespace transformer_block
