// element_kernel: an operation without statistics, for each sixteen bytes of the result, which has no gaps
// between its rows. Its inputs may be aligned otherwise than the result, and each other.
#pragma once

#include "kernels/operators/row_chunk.cuh"
#include "kernels/operators/row_operations.h"
#include "kernels/operators/rows.h"

namespace operators {

inline constexpr int element_chunks = 1;  // of a thread
inline constexpr int element_threads = 128;

inline std::int64_t element_blocks(std::int64_t elements, int width) {
  const std::int64_t of_block = std::int64_t{element_chunks} * element_threads * width;
  return (elements + of_block - 1) / of_block;
}

// The first element of a chunk of the result.
struct ElementPlace {
  std::int64_t row = 0;
  int column = 0;
  int left = 0;  // elements until the matrix ends, at most a chunk; none without a chunk
};

// The input of a chunk: at once where a row has it, else one by one. A `whole` row has whole chunks.
template <class Type, bool whole>
KERNEL_DEVICE SplitChunk load_place(const void* matrix, std::int64_t stride, const ElementPlace& place,
                                    const RowArguments& arguments) {
  constexpr int width = chunk_width<Type>;
  using Storage = typename Type::Storage;
  const auto* const first = static_cast<const Storage*>(matrix);
  const auto columns = static_cast<int>(arguments.columns);
  const Storage* from = first + place.row * stride + place.column;
  if constexpr (whole) return {chunk_at(from), {}, 0};
  if (place.column + width <= columns)
    return load_split<Type>(from, first + (arguments.rows - 1) * stride + columns);
  Storage elements[width];
  int column = place.column;
  KERNEL_UNROLL
  for (int i = 0; i < width; ++i) {
    elements[i] = i < place.left ? *from : Storage{};
    ++from;
    if (++column < columns) continue;
    column = 0;
    from += stride - columns;
  }
  return {chunk_of<Type>(elements), {}, 0};
}

template <class Operation, class Type, bool whole>
__global__ void __launch_bounds__(element_threads, 12) element_kernel(RowArguments arguments) {
  using Storage = typename Type::Storage;
  constexpr int width = chunk_width<Type>;
  constexpr unsigned of_block = element_chunks * element_threads * width;
  // Only this division is of 64 bits.
  const auto first = static_cast<std::uint64_t>(blockIdx.x) * of_block,
             columns = static_cast<std::uint64_t>(arguments.columns), first_row = first / columns;
  const auto first_column = static_cast<unsigned>(first - first_row * columns);
  const std::int64_t left = arguments.rows * arguments.columns - static_cast<std::int64_t>(first);
  const auto offset_of = [&](int c) {
    return (static_cast<unsigned>(c) * element_threads + threadIdx.x) * static_cast<unsigned>(width);
  };
  SplitChunk x[element_chunks], second[element_chunks];  // put together when all loads are on their way
  ElementPlace places[element_chunks];
  KERNEL_UNROLL
  for (int c = 0; c < element_chunks; ++c) {
    const std::int64_t to_end = left - offset_of(c);
    if (to_end <= 0) continue;
    const unsigned column = first_column + offset_of(c), rows = column / static_cast<unsigned>(columns);
    places[c] = {static_cast<std::int64_t>(first_row) + rows,
                 static_cast<int>(column - rows * static_cast<unsigned>(columns)),
                 static_cast<int>(to_end < width ? to_end : width)};
    x[c] = load_place<Type, whole>(arguments.x, arguments.x_stride, places[c], arguments);
    if constexpr (Operation::paired)
      second[c] = load_place<Type, whole>(arguments.second, arguments.second_stride, places[c], arguments);
  }
  KERNEL_UNROLL
  for (int c = 0; c < element_chunks; ++c) {
    if (places[c].left == 0) continue;
    const RowChunk one = whole ? x[c].low : joined(x[c]), other = whole ? second[c].low : joined(second[c]);
    float values[width];
    KERNEL_UNROLL
    for (int i = 0; i < width; ++i)
      values[i] =
          Operation::value({element_of<Type>(one, i), element_of<Type>(other, i), 0.0F, 0.0F}, nullptr);
    Storage* const y = static_cast<Storage*>(arguments.y) + first + offset_of(c);
    if (whole || places[c].left == width) {
      store_chunk<Type>(y, values);
    } else {
      KERNEL_UNROLL
      for (int i = 0; i < width; ++i)
        if (i < places[c].left) y[i] = Type::narrow(values[i]);
    }
  }
}

}  // namespace operators
