// row_kernel: the statistics of rows and their result, or one of these stages. A group of threads has a row
// at a time, in registers. Its next rows are on their way to shared memory meanwhile, so that the memory is
// never idle while a row is reduced.
#pragma once

#include <algorithm>
#include <cstddef>

#include "kernels/operators/row_totals.cuh"

namespace operators {

inline constexpr int most_row_threads = 1024;
inline constexpr int most_columns = most_row_threads * most_chunks * 16;
inline constexpr int most_warps = most_row_threads / 32;

// How the rows of a matrix are shared among threads. Rows whose alignment differs come in a cycle of
// `alignments`; a block has rows of one alignment, so that its threads keep their columns.
struct RowPlan {
  int threads = 32;  // of a row
  int rows = 1;      // of a block at a time
  int chunks = 1;    // of a thread, at most
  int ahead = 2;     // rows on their way for each group of threads
  int alignments = 1;
  int row_chunks = 1;  // of a row, whatever its alignment, at most
  int blocks = 1;
};

// The GPU that a plan is made for.
struct RowDevice {
  int multiprocessors = 1;
  std::size_t shared_bytes = 0;  // that a block may have
};

inline std::size_t row_shared_bytes(const RowPlan& plan, int weights) {
  const std::int64_t rows = std::int64_t{plan.ahead} * plan.rows * plan.threads * plan.chunks;
  return static_cast<std::size_t>(rows + std::int64_t{weights} * plan.row_chunks) * sizeof(RowChunk);
}

// `width` elements are a chunk; `weights` tensors of a row's size are kept. No threads when a block cannot
// have a row.
inline RowPlan row_plan(std::int64_t rows, std::int64_t columns, int width, int weights,
                        const RowDevice& device) {
  constexpr int resident = 1024;             // threads of a multiprocessor, at 64 registers
  constexpr std::int64_t rows_of_group = 8;  // about; then the GPU finds the block a free place
  RowPlan plan;
  plan.alignments = columns % width == 0 ? 1 : width;
  const std::int64_t all = (columns + (columns % width == 0 ? 0 : width - 1) + width - 1) / width;
  if (all > std::int64_t{most_chunks} * most_row_threads) return {.threads = 0};
  plan.row_chunks = static_cast<int>(all);
  plan.threads = ((plan.row_chunks + most_chunks - 1) / most_chunks + 31) / 32 * 32;
  plan.chunks = (plan.row_chunks + plan.threads - 1) / plan.threads;
  plan.rows = std::max(1, (plan.threads <= 128 ? resident / 2 : resident) / plan.threads);
  // Static shared memory and what the system takes of each block's.
  const auto fits = [&] { return row_shared_bytes(plan, weights) + 2048 <= device.shared_bytes; };
  while (!fits() && plan.rows > 1) plan.rows /= 2;
  if (!fits()) plan.ahead = 1;
  if (!fits()) return {.threads = 0};
  const std::int64_t together = std::int64_t{device.multiprocessors} *
                                std::max(1, resident / (plan.threads * plan.rows)) / plan.alignments *
                                plan.alignments;
  const std::int64_t most = (rows + plan.rows - 1) / plan.rows;
  std::int64_t blocks = std::max<std::int64_t>(together, plan.alignments);
  blocks *= std::max<std::int64_t>(1, (most / blocks + rows_of_group / 2) / rows_of_group);
  const std::int64_t needed = (most + plan.alignments - 1) / plan.alignments * plan.alignments;
  plan.blocks = static_cast<int>(std::min(blocks, needed));
  return plan;
}

// The same value, as one that changes with every row: the compiler does not keep what follows from it in
// registers.
KERNEL_DEVICE std::uint32_t anew(std::uint32_t value) {
  asm volatile("" : "+r"(value));
  return value;
}

// The parts of a row's warps, one for each of `lanes` lanes. `parts` are not those of the row before.
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

// The first `count` elements of a chunk, where the rest of it is not the matrix's; the rest becomes zeros.
template <class Type>
KERNEL_DEVICE void copy_elements(char* to, const typename Type::Storage* from, int count) {
  auto* const elements = reinterpret_cast<typename Type::Storage*>(to);
  KERNEL_NO_UNROLL
  for (int i = 0; i < chunk_width<Type>; ++i) elements[i] = i < count ? from[i] : typename Type::Storage{};
}

// Block: threads of a row, rows. Grid: any number of blocks that is a multiple of the plan's alignments.
template <class Operation, class Type, int stage>
__global__ void __launch_bounds__(most_row_threads) row_kernel(RowArguments arguments, RowPlan plan) {
  using Storage = typename Type::Storage;
  using Totals = RowTotals<Operation, stage == Operation::statistics ? 0 : stage>;
  constexpr bool reduces = stage != Operation::statistics;
  constexpr bool writes = stage == every_stage || !reduces;
  constexpr int width = chunk_width<Type>;
  constexpr bool weighted = writes && Operation::weighted, biased = writes && Operation::biased;
  struct Parts {
    RowPart of_warp[2][most_warps];  // of a row and of the next one
  };
  KERNEL_SHARED(Parts, parts);
  KERNEL_DYNAMIC_SHARED(shared, 16);

  const int group = static_cast<int>(blockDim.x), in_block = group * static_cast<int>(blockDim.y);
  const int thread = static_cast<int>(threadIdx.x);
  const int in_order = static_cast<int>(threadIdx.y) * group + thread;
  const auto rows = static_cast<unsigned>(arguments.rows),
             alignments = static_cast<unsigned>(plan.alignments);
  const int columns = static_cast<int>(arguments.columns);
  const unsigned step = gridDim.x * blockDim.y;
  unsigned row = (blockIdx.x / alignments * blockDim.y + threadIdx.y) * alignments + blockIdx.x % alignments;

  // The row's first chunk begins at the multiple of 16 at or before the row.
  const int before = static_cast<int>(blockIdx.x % alignments) * columns % width;
  const int first_column = thread * width - before;
  const int chunk_step = group * width;
  RowElements<Type> mine;
  mine.chunks = plan.chunks;
  mine.all = true;
  KERNEL_UNROLL
  for (int c = 0; c < most_chunks; ++c) {
    const std::uint32_t inside = elements_inside<Type>(first_column + c * chunk_step, columns);
    mine.inside |= inside << (c * width);
    mine.all = mine.all && (c >= plan.chunks || inside == all_inside<Type>);
  }
  const auto inside_of = [&](int c) { return mine.inside >> (c * width) & all_inside<Type>; };
  if constexpr (reduces) mine.count();

  // A thread reads what it has copied itself. The last chunk may reach beyond the matrix.
  auto* const mine_first = reinterpret_cast<char*>(shared) + in_order * static_cast<int>(sizeof(RowChunk));
  const int slot_bytes = in_block * static_cast<int>(sizeof(RowChunk));
  const auto copy = [&](unsigned which, char* slot) {
    if (which < rows) {
      const Storage* from = static_cast<const Storage*>(arguments.x) +
                            (static_cast<std::int64_t>(which) * columns + first_column);
      std::uint32_t to = ptx::shared_address(slot);
      const std::int64_t to_end = static_cast<std::int64_t>(rows - which) * columns - first_column;
      int left = static_cast<int>(to_end < most_columns ? to_end : most_columns);
      KERNEL_UNROLL
      for (int c = 0; c < most_chunks; ++c) {
        if (inside_of(c) != 0 && left >= width)
          ptx::cp_async_16(to, from);
        else if (inside_of(c) != 0)
          copy_elements<Type>(slot + c * slot_bytes, from, left);
        to += static_cast<std::uint32_t>(slot_bytes);
        from += chunk_step;
        left -= chunk_step;
      }
    }
    ptx::cp_async_commit();
  };
  const int row_bytes = plan.chunks * slot_bytes;
  copy(row, mine_first);
  if (plan.ahead == 2) copy(row + step, mine_first + row_bytes);

  auto* const weights = reinterpret_cast<RowChunk*>(shared + plan.ahead * row_bytes);
  auto* const biases = weights + plan.row_chunks;
  if constexpr (weighted || biased) {
    KERNEL_NO_UNROLL
    for (int k = in_order; k < plan.row_chunks; k += in_block) {
      const int column = k * width - before;
      const std::uint32_t inside = elements_inside<Type>(column, columns);
      const auto load = [&](const void* tensor) {
        const auto* const from = static_cast<const Storage*>(tensor);
        return joined(load_split<Type>(from, column, inside, from + columns));
      };
      if constexpr (weighted) weights[k] = load(arguments.weight);
      if constexpr (biased) biases[k] = load(arguments.bias);
    }
    __syncthreads();
  }

  int lanes = 1;  // the warps of a row, up to a power of two
  while (lanes * 32 < group) lanes *= 2;
  float next_known[2] = {};
  const auto look_up = [&](unsigned which) {
    KERNEL_UNROLL
    for (int s = 0; s < stage && s < 2; ++s)
      if (which < rows) next_known[s] = arguments.statistics[s * arguments.rows + which];
  };
  look_up(row);
  KERNEL_NO_UNROLL
  for (int odd = 0; row < rows; row += step, odd ^= 1) {
    mine.inside = anew(mine.inside);
    if (plan.ahead == 1)
      ptx::cp_async_wait<0>();
    else
      ptx::cp_async_wait<1>();
    char* const slot = plan.ahead == 2 && odd != 0 ? mine_first + row_bytes : mine_first;
    const char* next = slot;
    KERNEL_UNROLL
    for (int c = 0; c < most_chunks; ++c) {
      if (c >= plan.chunks) continue;
      const RowChunk chunk = *reinterpret_cast<const RowChunk*>(next);
      next += slot_bytes;
      KERNEL_UNROLL
      for (int i = 0; i < width; ++i) mine.values[c * width + i] = element_of<Type>(chunk, i);
    }
    copy(row + static_cast<unsigned>(plan.ahead) * step, slot);
    float known[2] = {next_known[0], next_known[1]};
    look_up(row + step);

    if constexpr (reduces) {
      const RowPart part = Totals::of_warp(mine, known);
      const RowPart read = lanes == 1 ? part : parts_of_row<Totals>(part, lanes, parts.of_warp[odd]);
      Totals::of_row(part, read, lanes, static_cast<float>(columns), known);
      if constexpr (!writes)
        if (thread == 0) arguments.statistics[stage * arguments.rows + row] = known[stage];
    }
    if constexpr (writes) {
      Storage* to =
          static_cast<Storage*>(arguments.y) + (static_cast<std::int64_t>(row) * columns + first_column);
      KERNEL_UNROLL
      for (int c = 0; c < most_chunks; ++c, to += chunk_step) {
        if (inside_of(c) == 0) continue;
        RowChunk weight = {}, bias = {};
        if constexpr (weighted) weight = weights[c * group + thread];
        if constexpr (biased) bias = biases[c * group + thread];
        KERNEL_UNROLL
        for (int i = 0; i < width; ++i) {
          float& value = mine.values[c * width + i];
          value = Totals::value({value, 0.0F, element_of<Type>(weight, i), element_of<Type>(bias, i)}, known);
        }
        store_chunk<Type>(to, mine.values + c * width, inside_of(c));
      }
    }
  }
}

}  // namespace operators
