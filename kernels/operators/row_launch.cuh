// with_row_launch: the kernel of a pass over rows, its grid and its arguments, for the GPU and the emulator.
#pragma once

#include <type_traits>

#include "kernels/operators/element_kernel.cuh"
#include "kernels/operators/row_kernel.cuh"

namespace operators {

template <class Operation>
inline constexpr int weights_of = (Operation::weighted ? 1 : 0) + (Operation::biased ? 1 : 0);

// Calls start(kernel, blocks, threads, shared bytes, arguments...).
template <class Operation, class Type, int stage, class Start>
void with_row_launch(const RowArguments& arguments, const RowDevice& device, const Start& start) {
  constexpr int width = chunk_width<Type>;
  const auto grid = [](std::int64_t blocks) { return dim3{static_cast<unsigned>(blocks), 1, 1}; };
  const auto block = [](const auto& plan) {
    return dim3{static_cast<unsigned>(plan.threads), static_cast<unsigned>(plan.rows), 1};
  };
  if constexpr (Operation::statistics == 0) {
    const ElementPlan plan = element_plan(arguments.rows, arguments.columns, width);
    start(&element_kernel<Operation, Type>, grid(plan.blocks), block(plan), std::size_t{0}, arguments,
          plan.parts);
  } else {
    constexpr bool writes = stage == every_stage || stage == Operation::statistics;
    constexpr int weights = writes ? weights_of<Operation> : 0;
    const RowPlan plan = row_plan(arguments.rows, arguments.columns, width, weights, device);
    start(&row_kernel<Operation, Type, stage>, grid(plan.blocks), block(plan),
          row_shared_bytes(plan, weights), arguments, plan);
  }
}
template <class Operation, int stage, class Start>
void with_row_launch(const RowArguments& arguments, harness::sdk::DType dtype, const RowDevice& device,
                     const Start& start) {
  switch (dtype) {
    case harness::sdk::DType::f16:
      return with_row_launch<Operation, ptx::F16, stage>(arguments, device, start);
    case harness::sdk::DType::bf16:
      return with_row_launch<Operation, ptx::BF16, stage>(arguments, device, start);
    default: return with_row_launch<Operation, ptx::F32, stage>(arguments, device, start);
  }
}

}  // namespace operators
