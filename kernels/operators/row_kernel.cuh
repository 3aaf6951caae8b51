// row_kernel: one stage of an operation, or all of it, on a row for each group of threads. A thread keeps its
// part of the row in registers, as it is stored, so that each element is read once whatever there is to
// compute.
#pragma once

#include <cstdint>
#include <type_traits>

#include "kernels/operators/row_operations.h"
#include "kernels/operators/row_variant.h"
#include "kernels/ptx/warp.cuh"

namespace operators {

inline constexpr int most_row_threads = 512;
inline constexpr int most_chunks = 8;    // of a thread
inline constexpr int rows_of_warps = 4;  // in a block, where a warp has a row

// Sixteen bytes of elements, which move as one access.
struct alignas(16) RowChunk {
  std::uint32_t words[4];
};

template <class Type>
inline constexpr int chunk_width = 16 / static_cast<int>(sizeof(typename Type::Storage));

template <class Type>
KERNEL_DEVICE float element_of(const RowChunk& chunk, int i) {
  if constexpr (chunk_width<Type> == 4) {
    return __uint_as_float(chunk.words[i]);
  } else {
    return Type::widen(static_cast<std::uint16_t>(chunk.words[i / 2] >> (16 * (i % 2))));
  }
}

template <class Type>
KERNEL_DEVICE void set_element(RowChunk& chunk, int i, typename Type::Storage bits) {
  if constexpr (chunk_width<Type> == 4)
    chunk.words[i] = __float_as_uint(bits);
  else
    chunk.words[i / 2] |= static_cast<std::uint32_t>(bits) << (16 * (i % 2));
}

// Sixteen of the 32 bytes of two chunks, from byte `from` on: an even number below 16.
KERNEL_DEVICE RowChunk between(const RowChunk& low, const RowChunk& high, unsigned from) {
  std::uint32_t words[8];
  KERNEL_UNROLL
  for (int i = 0; i < 4; ++i) {
    words[i] = low.words[i];
    words[i + 4] = high.words[i];
  }
  KERNEL_UNROLL
  for (int i = 0; i < 6; ++i) words[i] = (from & 8U) != 0 ? words[i + 2] : words[i];
  KERNEL_UNROLL
  for (int i = 0; i < 5; ++i) words[i] = (from & 4U) != 0 ? words[i + 1] : words[i];
  RowChunk chunk;
  KERNEL_UNROLL
  for (int i = 0; i < 4; ++i) {
    const std::uint64_t both = std::uint64_t{words[i + 1]} << 32 | words[i];
    chunk.words[i] = static_cast<std::uint32_t>(both >> ((from & 2U) * 8));
  }
  return chunk;
}

// Bytes from the last multiple of 16. Tensors begin at one, their rows need not.
KERNEL_DEVICE unsigned bytes_off(const void* address) {
  return static_cast<unsigned>(reinterpret_cast<std::uintptr_t>(address) % 16);
}

// The elements from `column` on; beyond the end they are 0. Where a row is not aligned, a chunk is put
// together from both aligned ones around it. A neighbour reads them, too, so they come from the L1 cache. At
// the end of a row, where an aligned one may end behind the tensor, elements are read one by one.
template <class Type>
KERNEL_DEVICE RowChunk load_chunk(const void* row, std::int64_t column, std::int64_t columns) {
  constexpr int width = chunk_width<Type>;
  const auto* const from = static_cast<const typename Type::Storage*>(row) + column;
  RowChunk chunk = {};
  if (columns % width == 0) {
    if (column < columns) chunk = *reinterpret_cast<const RowChunk*>(from);
    return chunk;
  }
  const unsigned off = bytes_off(from);
  const auto before = static_cast<int>(off / sizeof(*from));
  if (column - before + 2 * width <= columns) {
    const auto* const aligned = reinterpret_cast<const RowChunk*>(from - before);
    return between(aligned[0], aligned[1], off);
  }
  KERNEL_UNROLL
  for (int i = 0; i < width; ++i)
    if (column + i < columns) set_element<Type>(chunk, i, from[i]);
  return chunk;
}

// Stores elements first to last - 1 of a chunk, as far as the row goes.
template <class Type>
KERNEL_DEVICE void store_elements(typename Type::Storage* to, const RowChunk& chunk, int first, int last,
                                  std::int64_t left) {
  KERNEL_UNROLL
  for (int i = 0; i < chunk_width<Type>; ++i) {
    if (i < first || i >= last || i >= left) continue;
    if constexpr (chunk_width<Type> == 4)
      to[i] = __uint_as_float(chunk.words[i]);
    else
      to[i] = static_cast<std::uint16_t>(chunk.words[i / 2] >> (16 * (i % 2)));
  }
}

// Stores the chunk of each lane of a warp; lanes have one after the other. Where the row is not aligned, a lane
// stores the aligned chunk that begins with the last elements of the lane before. Elements of no whole chunk of
// the warp's are stored one by one.
template <class Type>
KERNEL_DEVICE void store_chunk(void* row, const RowChunk& chunk, std::int64_t column, std::int64_t columns) {
  constexpr int width = chunk_width<Type>;
  auto* const to = static_cast<typename Type::Storage*>(row) + column;
  const std::int64_t left = columns - column;
  const unsigned off = bytes_off(to);
  if (off == 0) {  // of the whole row
    if (left >= width)
      *reinterpret_cast<RowChunk*>(to) = chunk;
    else
      store_elements<Type>(to, chunk, 0, width, left);
    return;
  }
  const auto before = static_cast<int>(off / sizeof(*to));  // elements of the lane before
  const int own = width - before;
  const unsigned lane = threadIdx.x % 32;
  RowChunk other;
  KERNEL_UNROLL
  for (int i = 0; i < 4; ++i) other.words[i] = __shfl_up_sync(0xFFFFFFFFU, chunk.words[i], 1);
  if (lane > 0 && left >= own)
    *reinterpret_cast<RowChunk*>(to - before) = between(other, chunk, 16 - off);
  else
    store_elements<Type>(to, chunk, 0, own, left);
  if (lane == 31 || left < width + own) store_elements<Type>(to, chunk, own, width, left);
}

struct WarpTotals {
  float of_warp[most_row_threads / 32];
};

// A part that changes no total.
template <Total total>
KERNEL_DEVICE float no_part() {
  return total == Total::sum ? 0.0F : __uint_as_float(0xFF800000U);
}

template <Total total>
KERNEL_DEVICE float over_warp(float value) {
  return total == Total::sum ? ptx::warp_sum(value) : ptx::warp_max(value);
}

// Over the threads of a row; each gets the result. Where a row has several warps, it has the block.
template <Total total>
KERNEL_DEVICE float over_row(float value, WarpTotals& totals) {
  value = over_warp<total>(value);
  const unsigned warps = blockDim.x / 32;
  if (warps == 1) return value;
  const unsigned lane = threadIdx.x % 32;
  __syncthreads();  // the last totals were read
  if (lane == 0) totals.of_warp[threadIdx.x / 32] = value;
  __syncthreads();
  return over_warp<total>(lane < warps ? totals.of_warp[lane] : no_part<total>());
}

// Statistic `number` of the row whose chunks these are.
template <class Operation, class Type, int chunks, int number>
KERNEL_DEVICE float statistic_of(const RowChunk (&x)[chunks], const float* known, std::int64_t columns,
                                 WarpTotals& totals) {
  constexpr Total total = Operation::totals[number];
  float mine = no_part<total>();
  KERNEL_UNROLL
  for (int c = 0; c < chunks; ++c) {
    const std::int64_t column = (static_cast<std::int64_t>(c) * blockDim.x + threadIdx.x) * chunk_width<Type>;
    KERNEL_UNROLL
    for (int i = 0; i < chunk_width<Type>; ++i) {
      if (column + i >= columns) continue;
      const float part = Operation::part(number, element_of<Type>(x[c], i), known);
      mine = total == Total::sum ? mine + part : fmaxf(mine, part);
    }
  }
  return Operation::finish(number, over_row<total>(mine, totals), static_cast<float>(columns));
}

// Block: threads of a row, rows. Grid: rows / rows of a block.
template <class Operation, class Type, int chunks, int stage>
__global__ void __launch_bounds__(most_row_threads) row_kernel(RowArguments arguments) {
  KERNEL_SHARED(WarpTotals, totals);
  const std::int64_t row = static_cast<std::int64_t>(blockIdx.x) * blockDim.y + threadIdx.y;
  if (row >= arguments.rows) return;  // a whole warp
  const auto row_of = [&](const void* matrix, std::int64_t stride) {
    return static_cast<const typename Type::Storage*>(matrix) + row * stride;
  };
  const std::int64_t columns = arguments.columns;
  const auto column_of = [&](int chunk) {
    return (static_cast<std::int64_t>(chunk) * blockDim.x + threadIdx.x) * chunk_width<Type>;
  };
  RowChunk x[chunks];
  RowChunk second[Operation::paired ? chunks : 1] = {};
  KERNEL_UNROLL
  for (int c = 0; c < chunks; ++c) {
    x[c] = load_chunk<Type>(row_of(arguments.x, arguments.x_stride), column_of(c), columns);
    if constexpr (Operation::paired)
      second[c] = load_chunk<Type>(row_of(arguments.second, arguments.second_stride), column_of(c), columns);
  }

  float known[2] = {};
  const auto learn = [&]<int number>(std::integral_constant<int, number>) {
    if constexpr (number < Operation::statistics) {
      float* const stored = arguments.statistics + number * arguments.rows + row;
      if constexpr (stage == every_stage || stage == number)
        known[number] = statistic_of<Operation, Type, chunks, number>(x, known, columns, totals);
      else if constexpr (number < stage)
        known[number] = *stored;
      if constexpr (stage == number)
        if (threadIdx.x == 0) *stored = known[number];
    }
  };
  learn(std::integral_constant<int, 0>{});
  learn(std::integral_constant<int, 1>{});
  if constexpr (stage == every_stage || stage == Operation::statistics) {
    KERNEL_UNROLL
    for (int c = 0; c < chunks; ++c) {
      RowChunk weight = {}, bias = {};
      if constexpr (Operation::weighted) weight = load_chunk<Type>(arguments.weight, column_of(c), columns);
      if constexpr (Operation::biased) bias = load_chunk<Type>(arguments.bias, column_of(c), columns);
      const auto value = [&](int i) {
        return Operation::value(
            {element_of<Type>(x[c], i), element_of<Type>(second[Operation::paired ? c : 0], i),
             element_of<Type>(weight, i), element_of<Type>(bias, i)},
            known);
      };
      RowChunk results;
      KERNEL_UNROLL
      for (int word = 0; word < 4; ++word) {
        if constexpr (chunk_width<Type> == 4)
          results.words[word] = __float_as_uint(value(word));
        else
          results.words[word] = Type::narrow(value(2 * word), value(2 * word + 1));
      }
      store_chunk<Type>(static_cast<typename Type::Storage*>(arguments.y) + row * columns, results,
                        column_of(c), columns);
    }
  }
}

// How the rows of a matrix are shared among threads.
struct RowLaunch {
  int chunks = 1;  // of a thread: 1, 2, 4 or 8
  int threads = 32;
  int rows = 1;  // of a block
};

// `width` elements are a chunk. Few enough threads that several blocks fit on a multiprocessor, so that some
// load while others wait for a total.
inline RowLaunch row_launch(std::int64_t columns, int width) {
  constexpr std::int64_t wanted_threads = 256;
  const std::int64_t all = (columns + width - 1) / width;
  RowLaunch launch;
  while (launch.chunks < most_chunks && all > wanted_threads * launch.chunks) launch.chunks *= 2;
  launch.threads = static_cast<int>((((all + launch.chunks - 1) / launch.chunks) + 31) / 32 * 32);
  if (launch.threads == 32) launch.rows = rows_of_warps;
  return launch;
}

// Calls start(kernel, blocks, threads) with the instance of row_kernel that a pass needs.
template <class Operation, class Type, int stage, class Start>
void with_row_kernel(const RowArguments& arguments, const Start& start) {
  const RowLaunch how = row_launch(arguments.columns, chunk_width<Type>);
  const dim3 blocks{static_cast<unsigned>((arguments.rows + how.rows - 1) / how.rows), 1, 1};
  const dim3 threads{static_cast<unsigned>(how.threads), static_cast<unsigned>(how.rows), 1};
  switch (how.chunks) {
    case 1: return start(&row_kernel<Operation, Type, 1, stage>, blocks, threads);
    case 2: return start(&row_kernel<Operation, Type, 2, stage>, blocks, threads);
    case 4: return start(&row_kernel<Operation, Type, 4, stage>, blocks, threads);
    default: return start(&row_kernel<Operation, Type, most_chunks, stage>, blocks, threads);
  }
}
template <class Operation, int stage, class Start>
void with_row_kernel(const RowArguments& arguments, harness::sdk::DType dtype, const Start& start) {
  switch (dtype) {
    case harness::sdk::DType::f16: return with_row_kernel<Operation, ptx::F16, stage>(arguments, start);
    case harness::sdk::DType::bf16: return with_row_kernel<Operation, ptx::BF16, stage>(arguments, start);
    default: return with_row_kernel<Operation, ptx::F32, stage>(arguments, start);
  }
}

}  // namespace operators
