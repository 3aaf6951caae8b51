// RowTotals: the statistics of an operation as one pass over a row that its threads have in registers: of
// each warp by itself, then of the row from its warps' parts. So the threads of a row meet once.
#pragma once

#include "kernels/operators/row_chunk.cuh"
#include "kernels/operators/row_operations.h"
#include "kernels/operators/row_variant.h"
#include "kernels/ptx/warp.cuh"

namespace operators {

inline constexpr int most_chunks = 4;  // of a thread

// A thread's elements of a row.
template <class Type>
struct RowElements {
  static constexpr int width = chunk_width<Type>;
  float values[most_chunks * width] = {};
  std::uint32_t inside = 0;   // a bit for each that the row has
  int chunks = 0;             // that a thread of this row has at most
  bool all = false;           // the row has every element of these chunks
  float of_warp = 0;          // how many the warp has
  float inverse_of_warp = 0;  // 1 / of_warp; 0 without elements

  KERNEL_DEVICE void count() {
    int of_thread = 0;
    KERNEL_UNROLL
    for (int e = 0; e < most_chunks * width; ++e) of_thread += static_cast<int>(inside >> e & 1U);
    of_warp = ptx::warp_sum(static_cast<float>(of_thread));
    inverse_of_warp = of_warp > 0 ? 1.0F / of_warp : 0.0F;
  }
  template <class Do>
  KERNEL_DEVICE void each(const Do& act) {
    KERNEL_UNROLL
    for (int c = 0; c < most_chunks; ++c) {
      if (c >= chunks) continue;
      KERNEL_UNROLL
      for (int i = 0; i < width; ++i) act(values[c * width + i]);
    }
  }
  // Gives those a value that the row does not have.
  KERNEL_DEVICE void fill(float value) {
    if (all) return;
    KERNEL_UNROLL
    for (int e = 0; e < most_chunks * width; ++e) values[e] = (inside >> e & 1U) != 0 ? values[e] : value;
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

// Statistic `stage` by itself, from known ones. of_warp() may leave anything in the elements, unless the
// result follows in the same pass.
template <class Operation, int stage>
struct RowTotals {
  static constexpr Total total = Operation::totals[stage];
  static KERNEL_DEVICE RowPart nothing() { return {no_part<total>(), 0, 0}; }
  template <class Type>
  static KERNEL_DEVICE RowPart of_warp(RowElements<Type>& x, const float* known) {
    x.each([&](float& value) { value = Operation::part(stage, value, known); });
    x.fill(no_part<total>());
    float mine = no_part<total>();
    x.each([&](float value) { mine = total == Total::sum ? mine + value : fmaxf(mine, value); });
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
struct RowTotals<RmsNorm, every_stage> : RowTotals<RmsNorm, 0> {
  template <class Type>
  static KERNEL_DEVICE RowPart of_warp(RowElements<Type>& x, const float*) {
    x.fill(0);
    float squares = 0;
    x.each([&](float value) { squares += value * value; });
    return {ptx::warp_sum(squares), 0, 0};
  }
};

// The sum, and the squares around the warp's own mean. Squares around the row's mean follow from both without
// a cancellation: Chan, Golub and LeVeque, "Updating Formulae and a Pairwise Algorithm for Computing Sample
// Variances" (1979).
template <>
struct RowTotals<LayerNorm, every_stage> {
  static KERNEL_DEVICE RowPart nothing() { return {0, 0, 0}; }
  template <class Type>
  static KERNEL_DEVICE RowPart of_warp(RowElements<Type>& x, const float*) {
    x.fill(0);
    float sum = 0;
    x.each([&](float value) { sum += value; });
    sum = ptx::warp_sum(sum);
    const float mean = sum * x.inverse_of_warp;
    x.fill(mean);
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
  static constexpr float lowest = -3.4e38F;
  static KERNEL_DEVICE RowPart nothing() { return {lowest, 0, 0}; }
  template <class Type>
  static KERNEL_DEVICE RowPart of_warp(RowElements<Type>& x, const float*) {
    x.fill(no_part<Total::largest>());
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
