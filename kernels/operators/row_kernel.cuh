// row_kernel: the statistics of rows and their result, or one of these stages. A group of threads has a row,
// in registers. Blocks are small and many: some wait for their rows while others reduce or write theirs.
#pragma once

#include <algorithm>

#include "kernels/operators/row_totals.cuh"

namespace operators {

inline constexpr int most_row_threads = 1024;
inline constexpr int most_warps = most_row_threads / 32;

// How a block's threads share rows.
struct RowPlan {
  int threads = 32;  // of a row
  int rows = 1;      // of a block
  std::int64_t blocks = 1;
};

// `width` elements are a chunk. No threads when a row is too long for a block's registers.
inline RowPlan row_plan(std::int64_t rows, std::int64_t columns, int width) {
  constexpr int block_threads = 256;  // where a row has no more
  const std::int64_t chunks = std::max<std::int64_t>(1, columns / width);
  if (chunks > std::int64_t{most_chunks} * most_row_threads) return {.threads = 0};
  RowPlan plan;
  plan.threads = ((static_cast<int>(chunks) + most_chunks - 1) / most_chunks + 31) / 32 * 32;
  plan.rows = std::max(1, block_threads / plan.threads);
  plan.blocks = (rows + plan.rows - 1) / plan.rows;
  return plan;
}

// The parts of a row's warps, one for each of `lanes` lanes.
template <class Totals>
KERNEL_DEVICE RowPart parts_of_row(const RowPart& mine, int lanes, RowPart* parts) {
  const unsigned warps = blockDim.x / 32;
  const unsigned first = threadIdx.y * warps;
  const unsigned lane = threadIdx.x % 32;
  if (lane == 0) parts[first + threadIdx.x / 32] = mine;
  ptx::named_barrier_sync(1 + static_cast<int>(threadIdx.y), static_cast<int>(blockDim.x));
  const unsigned of = lane & (static_cast<unsigned>(lanes) - 1);
  return of < warps ? parts[first + of] : Totals::nothing();
}

template <class Operation, int stage>
using TotalsOf = RowTotals<Operation, stage == Operation::statistics ? 0 : stage>;

// Whether threads keep their elements as they are stored. It takes so few registers that a multiprocessor
// holds 1536 threads or more, not 1024: some load while others wait for their row's totals and weights.
template <class Operation, class Type, int stage, bool whole>
inline constexpr bool rows_as_stored =
    chunk_width<Type> == 8 && whole && !TotalsOf<Operation, stage>::changes_elements;

template <class Operation, class Type, int stage, bool whole>
KERNEL_DEVICE void pass_over_row(const RowArguments& arguments) {
  using Storage = typename Type::Storage;
  using Totals = TotalsOf<Operation, stage>;
  constexpr bool reduces = stage != Operation::statistics;
  constexpr bool writes = stage == every_stage || !reduces;
  constexpr int width = chunk_width<Type>;
  struct Parts {
    RowPart of_warp[most_warps];
  };
  KERNEL_SHARED(Parts, parts);

  const std::int64_t row = static_cast<std::int64_t>(blockIdx.x) * blockDim.y + threadIdx.y;
  if (row >= arguments.rows) return;
  const int columns = static_cast<int>(arguments.columns);
  const std::int64_t first = row * columns;
  RowElements<Type, whole, rows_as_stored<Operation, Type, stage, whole>> mine(
      columns, static_cast<int>((width - first % width) % width));
  mine.load(static_cast<const Storage*>(arguments.x) + first);
  float known[2] = {};
  KERNEL_UNROLL
  for (int s = 0; s < stage && s < 2; ++s) known[s] = arguments.statistics[s * arguments.rows + row];

  if constexpr (reduces) {
    int lanes = 1;  // the warps of a row, up to a power of two
    while (lanes * 32 < static_cast<int>(blockDim.x)) lanes *= 2;
    const RowPart part = Totals::of_warp(mine, known);
    const RowPart read = lanes == 1 ? part : parts_of_row<Totals>(part, lanes, parts.of_warp);
    Totals::of_row(part, read, lanes, static_cast<float>(columns), known);
    if constexpr (!writes)
      if (threadIdx.x == 0) arguments.statistics[stage * arguments.rows + row] = known[stage];
  }
  if constexpr (writes) {
    Storage* const y = static_cast<Storage*>(arguments.y) + first;
    const auto* const weight = static_cast<const Storage*>(arguments.weight);
    const auto* const bias = static_cast<const Storage*>(arguments.bias);
    const auto chunk_of_all = [&](const Storage* tensor, int column) {
      if constexpr (whole)
        return chunk_at(tensor + column);
      else
        return joined(load_split<Type>(tensor + column, tensor + columns));
    };
    KERNEL_UNROLL
    for (int c = 0; c < most_chunks; ++c) {
      if (!mine.has(c)) continue;
      RowChunk weights = {}, biases = {};
      if constexpr (Operation::weighted) weights = chunk_of_all(weight, mine.column(c));
      if constexpr (Operation::biased) biases = chunk_of_all(bias, mine.column(c));
      float values[width];
      KERNEL_UNROLL
      for (int i = 0; i < width; ++i)
        values[i] = Totals::value(
            {mine.value(c, i), 0.0F, element_of<Type>(weights, i), element_of<Type>(biases, i)}, known);
      store_chunk<Type>(y + mine.column(c), values);
    }
    if (mine.has_single()) {
      const int column = mine.single_column;
      Element of = {mine.single, 0.0F, 0.0F, 0.0F};
      if constexpr (Operation::weighted) of.weight = Type::widen(weight[column]);
      if constexpr (Operation::biased) of.bias = Type::widen(bias[column]);
      y[column] = Type::narrow(Totals::value(of, known));
    }
  }
}

// Block: threads of a row, rows. `whole`: a row has whole chunks.
template <class Operation, class Type, int stage, bool whole>
__global__ void __launch_bounds__(most_row_threads) row_kernel(RowArguments arguments) {
  pass_over_row<Operation, Type, stage, whole>(arguments);
}
// The same with the registers of 1536 threads, where the compiler would take some more.
template <class Operation, class Type, int stage, bool whole>
__global__ void __maxnreg__(40) few_registers_row_kernel(RowArguments arguments) {
  pass_over_row<Operation, Type, stage, whole>(arguments);
}

template <class Operation, class Type, int stage, bool whole>
constexpr auto row_kernel_of() {
  if constexpr (rows_as_stored<Operation, Type, stage, whole> && Operation::biased)
    return &few_registers_row_kernel<Operation, Type, stage, whole>;
  else
    return &row_kernel<Operation, Type, stage, whole>;
}

}  // namespace operators
