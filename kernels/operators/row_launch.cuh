// with_row_launch: the kernel of a pass over rows, its grid and its arguments, for the GPU and the emulator.
#pragma once

#include <type_traits>

#include "kernels/operators/element_kernel.cuh"
#include "kernels/operators/row_kernel.cuh"

namespace operators {

// Calls start(kernel, blocks, threads, arguments...).
template <class Operation, class Type, int stage, class Start>
void with_row_launch(const RowArguments& arguments, const Start& start) {
  constexpr int width = chunk_width<Type>;
  const auto grid = [](std::int64_t blocks) { return dim3{static_cast<unsigned>(blocks), 1, 1}; };
  const bool whole = arguments.columns % width == 0;
  if constexpr (Operation::statistics == 0) {
    const dim3 blocks = grid(element_blocks(arguments.rows * arguments.columns, width));
    whole ? start(&element_kernel<Operation, Type, true>, blocks, dim3{element_threads, 1, 1}, arguments)
          : start(&element_kernel<Operation, Type, false>, blocks, dim3{element_threads, 1, 1}, arguments);
  } else {
    const RowPlan plan = row_plan(arguments.rows, arguments.columns, width);
    const dim3 blocks = grid(plan.blocks),
               block = {static_cast<unsigned>(plan.threads), static_cast<unsigned>(plan.rows), 1};
    whole ? start(row_kernel_of<Operation, Type, stage, true>(), blocks, block, arguments)
          : start(row_kernel_of<Operation, Type, stage, false>(), blocks, block, arguments);
  }
}
template <class Operation, int stage, class Start>
void with_row_launch(const RowArguments& arguments, harness::sdk::DType dtype, const Start& start) {
  switch (dtype) {
    case harness::sdk::DType::f16: return with_row_launch<Operation, ptx::F16, stage>(arguments, start);
    case harness::sdk::DType::bf16: return with_row_launch<Operation, ptx::BF16, stage>(arguments, start);
    default: return with_row_launch<Operation, ptx::F32, stage>(arguments, start);
  }
}

}  // namespace operators
