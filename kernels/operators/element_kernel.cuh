// element_kernel: an operation without statistics, for each sixteen bytes of the result. Its inputs may be
// aligned otherwise than the result, and each other.
#pragma once

#include "kernels/operators/row_chunk.cuh"
#include "kernels/operators/row_operations.h"
#include "kernels/operators/rows.h"

namespace operators {

inline constexpr int element_chunks = 2;  // of a thread
inline constexpr int most_element_threads = 256;

// Threads share a row's chunks, `parts` blocks have a row, and a block has parts of `rows` rows.
struct ElementPlan {
  int threads = 32;
  int rows = 1;
  int parts = 1;
  std::int64_t blocks = 1;
};

inline ElementPlan element_plan(std::int64_t rows, std::int64_t columns, int width) {
  const std::int64_t all = (columns + (columns % width == 0 ? 0 : width - 1) + width - 1) / width;
  const std::int64_t wanted = (all + element_chunks - 1) / element_chunks;
  ElementPlan plan;
  while (plan.threads < wanted && plan.threads < most_element_threads) plan.threads *= 2;
  plan.rows = most_element_threads / plan.threads;
  plan.parts = static_cast<int>((wanted + plan.threads - 1) / plan.threads);
  plan.blocks = (rows + plan.rows - 1) / plan.rows * plan.parts;
  return plan;
}

template <class Operation, class Type>
__global__ void __launch_bounds__(most_element_threads, 4) element_kernel(RowArguments arguments, int parts) {
  using Storage = typename Type::Storage;
  constexpr int width = chunk_width<Type>;
  const int columns = static_cast<int>(arguments.columns);
  const std::int64_t row =
      static_cast<std::int64_t>(blockIdx.x / static_cast<unsigned>(parts)) * blockDim.y + threadIdx.y;
  if (row >= arguments.rows) return;
  const auto before = static_cast<int>(row * columns % width);  // the row, in its first chunk
  const auto part = static_cast<int>(blockIdx.x % static_cast<unsigned>(parts));
  const auto column_of = [&](int c) {
    const int chunk =
        (part * element_chunks + c) * static_cast<int>(blockDim.x) + static_cast<int>(threadIdx.x);
    return chunk * width - before;
  };
  const auto load = [&](const void* matrix, std::int64_t stride, int column, std::uint32_t inside) {
    const auto* const first = static_cast<const Storage*>(matrix);
    return load_split<Type>(first + row * stride, column, inside,
                            first + (arguments.rows - 1) * stride + columns);
  };
  SplitChunk x[element_chunks], second[element_chunks];  // put together when all loads are on their way
  std::uint32_t inside[element_chunks];
  KERNEL_UNROLL
  for (int c = 0; c < element_chunks; ++c) {
    inside[c] = elements_inside<Type>(column_of(c), columns);
    if (inside[c] == 0) continue;
    x[c] = load(arguments.x, arguments.x_stride, column_of(c), inside[c]);
    if constexpr (Operation::paired)
      second[c] = load(arguments.second, arguments.second_stride, column_of(c), inside[c]);
  }
  KERNEL_UNROLL
  for (int c = 0; c < element_chunks; ++c) {
    if (inside[c] == 0) continue;
    const RowChunk first = joined(x[c]), other = joined(second[c]);
    float values[width];
    KERNEL_UNROLL
    for (int i = 0; i < width; ++i)
      values[i] =
          Operation::value({element_of<Type>(first, i), element_of<Type>(other, i), 0.0F, 0.0F}, nullptr);
    store_chunk<Type>(static_cast<Storage*>(arguments.y) + row * columns + column_of(c), values, inside[c]);
  }
}

}  // namespace operators
