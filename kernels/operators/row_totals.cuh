// RowTotals: the statistics of an operation as one pass over a row that its threads have in registers: of
// each warp by itself, then of the row from its warps' parts. So the threads of a row meet once.
#pragma once

#include <type_traits>

#include "kernels/operators/row_chunk.cuh"
#include "kernels/operators/row_operations.h"
#include "kernels/operators/row_variant.h"
#include "kernels/ptx/warp.cuh"

namespace operators {

inline constexpr int most_chunks = 4;  // of a thread

template <int width>
struct Converted {
  float values[width];
};

// A thread's elements of a row: whole chunks of sixteen bytes, and at most one of the elements that precede
// the first chunk or follow the last one. A `whole` row has no such elements. `as_stored`: chunks stay as
// they are stored, in half the registers, and each use converts them again.
template <class ElementType, bool whole, bool as_stored>
struct RowElements {
  using Type = ElementType;
  static constexpr int width = chunk_width<Type>;
  std::conditional_t<as_stored, RowChunk, Converted<width>> chunks[most_chunks] = {};
  float single = 0;
  int single_column = -1;
  int first_column;  // of the thread's first chunk
  int step;          // to its next one
  int chunks_end;    // the column after the row's chunks
  float of_warp;     // how many elements the warp has

  // `to_chunk` elements precede the first chunk.
  KERNEL_DEVICE RowElements(int columns, int to_chunk) {
    const int thread = static_cast<int>(threadIdx.x);
    const int before = whole ? 0 : min(to_chunk, columns), whole_chunks = (columns - before) / width;
    first_column = before + thread * width;
    step = static_cast<int>(blockDim.x) * width;
    chunks_end = before + whole_chunks * width;
    const int singles = columns - whole_chunks * width;
    if (!whole && thread < singles) single_column = thread < before ? thread : thread + whole_chunks * width;
    int elements = !whole && thread < 32 ? singles : 0;
    KERNEL_UNROLL
    for (int c = 0; c < most_chunks; ++c)
      elements += max(0, min(chunks_end - (first_column - thread % 32 * width + c * step), 32 * width));
    of_warp = static_cast<float>(elements);
  }
  [[nodiscard]] KERNEL_DEVICE int column(int c) const { return first_column + c * step; }
  [[nodiscard]] KERNEL_DEVICE bool has(int c) const { return column(c) < chunks_end; }
  [[nodiscard]] KERNEL_DEVICE bool has_single() const { return !whole && single_column >= 0; }
  KERNEL_DEVICE void load(const typename Type::Storage* row) {
    RowChunk loaded[most_chunks] = {};
    KERNEL_UNROLL
    for (int c = 0; c < most_chunks; ++c)
      if (has(c)) loaded[c] = chunk_at(row + column(c));
    if (has_single()) single = Type::widen(row[single_column]);
    KERNEL_UNROLL
    for (int c = 0; c < most_chunks; ++c) {
      if constexpr (as_stored) {
        chunks[c] = loaded[c];
      } else {
        KERNEL_UNROLL
        for (int i = 0; i < width; ++i) chunks[c].values[i] = element_of<Type>(loaded[c], i);
      }
    }
  }
  [[nodiscard]] KERNEL_DEVICE float value(int c, int i) const {
    if constexpr (as_stored)
      return element_of<Type>(chunks[c], i);
    else
      return chunks[c].values[i];
  }
  // Elements as they are stored cannot be changed.
  template <class Do>
  KERNEL_DEVICE void each(const Do& act) {
    KERNEL_UNROLL
    for (int c = 0; c < most_chunks; ++c) {
      if (!has(c)) continue;
      if constexpr (as_stored) {
        KERNEL_UNROLL
        for (int i = 0; i < width; ++i) act(value(c, i));
        KERNEL_UNROLL
        for (std::uint32_t& word : chunks[c].words) ptx::forget(word);
      } else {
        KERNEL_UNROLL
        for (float& value : chunks[c].values) act(value);
      }
    }
    if (has_single()) act(single);
  }
};

// A warp's part of a row.
struct RowPart {
  float first;
  float second;
  float elements;
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

// Over groups of `lanes` lanes, a power of two.
template <Total total>
KERNEL_DEVICE float over_lanes(float value, int lanes) {
  KERNEL_NO_UNROLL
  for (int bits = lanes / 2; bits > 0; bits /= 2) {
    const float other = __shfl_xor_sync(0xFFFFFFFFU, value, bits);
    value = total == Total::sum ? value + other : fmaxf(value, other);
  }
  return value;
}

// Statistic `stage` by itself, from known ones.
template <class Operation, int stage>
struct RowTotals {
  static constexpr Total total = Operation::totals[stage];
  static constexpr bool changes_elements = false;
  static KERNEL_DEVICE RowPart nothing() { return {no_part<total>(), 0, 0}; }
  template <class Elements>
  static KERNEL_DEVICE RowPart of_warp(Elements& x, const float* known) {
    float mine = no_part<total>();
    x.each([&](float value) {
      const float part = Operation::part(stage, value, known);
      mine = total == Total::sum ? mine + part : fmaxf(mine, part);
    });
    return {over_warp<total>(mine), 0, 0};
  }
  static KERNEL_DEVICE void of_row(RowPart, RowPart part, int lanes, float columns, float* known) {
    known[stage] = Operation::finish(stage, over_lanes<total>(part.first, lanes), columns);
  }
  static KERNEL_DEVICE float value(const Element& of, const float* known) {
    return Operation::value(of, known);
  }
};

template <>
struct RowTotals<RmsNorm, every_stage> : RowTotals<RmsNorm, 0> {};

// The sum, and the squares around the warp's own mean. Squares around the row's mean follow from both without
// a cancellation: Chan, Golub and LeVeque, "Updating Formulae and a Pairwise Algorithm for Computing Sample
// Variances" (1979).
template <>
struct RowTotals<LayerNorm, every_stage> {
  static constexpr bool changes_elements = false;
  static KERNEL_DEVICE RowPart nothing() { return {0, 0, 0}; }
  template <class Elements>
  static KERNEL_DEVICE RowPart of_warp(Elements& x, const float*) {
    float sum = 0;
    x.each([&](float value) { sum += value; });
    sum = ptx::warp_sum(sum);
    const float mean = x.of_warp > 0 ? quotient(sum, x.of_warp) : 0.0F;
    float squares = 0;
    x.each([&](float value) { squares += (value - mean) * (value - mean); });
    return {sum, ptx::warp_sum(squares), x.of_warp};
  }
  static KERNEL_DEVICE void of_row(RowPart, RowPart part, int lanes, float columns, float* known) {
    known[0] = LayerNorm::finish(0, over_lanes<Total::sum>(part.first, lanes), columns);
    const float off = part.elements > 0 ? quotient(part.first, part.elements) - known[0] : 0.0F;
    const float squares = over_lanes<Total::sum>(part.second + part.elements * off * off, lanes);
    known[1] = LayerNorm::finish(1, squares, columns);
  }
  static KERNEL_DEVICE float value(const Element& of, const float* known) {
    return LayerNorm::value(of, known);
  }
};

// 2^(x log2 e - c) in place of the elements and their sum, where c belongs to the warp's largest element. The
// one statistic of the row is the factor that makes results of this warp's exponentials.
template <>
struct RowTotals<Softmax, every_stage> {
  static constexpr bool changes_elements = true;
  static constexpr float lowest = -3.4e38F;
  static KERNEL_DEVICE RowPart nothing() { return {lowest, 0, 0}; }
  template <class Elements>
  static KERNEL_DEVICE RowPart of_warp(Elements& x, const float*) {
    float largest = no_part<Total::largest>();
    x.each([&](float value) { largest = fmaxf(largest, value); });
    const float offset = fmaxf(ptx::warp_max(largest) * log2_e, lowest);
    float sum = 0;
    x.each([&](float& value) {
      value = power_of_two(value * log2_e - offset);
      sum += value;
    });
    return {offset, ptx::warp_sum(sum), 0};
  }
  static KERNEL_DEVICE void of_row(RowPart mine, RowPart part, int lanes, float, float* known) {
    const float offset = over_lanes<Total::largest>(part.first, lanes);
    const float sum = over_lanes<Total::sum>(part.second * power_of_two(part.first - offset), lanes);
    known[0] = quotient(power_of_two(mine.first - offset), sum);
  }
  static KERNEL_DEVICE float value(const Element& of, const float* known) { return of.x * known[0]; }
};

}  // namespace operators
