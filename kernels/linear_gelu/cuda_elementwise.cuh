// The elementwise kernels of the unfused variants: y += bias, y = gelu(y), or both in one pass, in place on
// a row-major matrix. Every thread moves 16 bytes at a time; any number of rows and columns is handled.
#pragma once

#include <cuda_runtime.h>

#include <cstdint>
#include <type_traits>

#include "kernels/cuda_check.cuh"
#include "kernels/linear_gelu/cuda_element.cuh"

namespace linear_gelu {

struct NoActivation {
  static __device__ __forceinline__ float of(float value) { return value; }
};
template <Gelu Form>
struct Activation {
  static __device__ __forceinline__ float of(float value) { return gelu_of<Form>(value); }
};

inline constexpr int elementwise_threads = 256;
inline constexpr int chunks_per_thread = 2;  // loads in flight before the first result is needed

// The eight bias elements for the eight elements of y from `column` on. Where the row length is no multiple
// of eight, a chunk runs on into the next row.
template <class Index>
__device__ __forceinline__ Chunk bias_chunk(const std::uint16_t* bias, Index column, Index columns) {
  if (columns % 8 == 0) return *reinterpret_cast<const Chunk*>(bias + column);
  Chunk chunk;
#pragma unroll
  for (int word = 0; word < 4; ++word) {
    const std::uint32_t low = bias[column];
    column = column + 1 == columns ? 0 : column + 1;
    const std::uint32_t high = bias[column];
    column = column + 1 == columns ? 0 : column + 1;
    chunk.words[word] = low | (high << 16);
  }
  return chunk;
}

template <class Element, bool AddBias, class Function, class Index>
__device__ __forceinline__ Chunk transform(Chunk values, const std::uint16_t* bias, Index first,
                                           Index columns) {
  Chunk added = {};
  if constexpr (AddBias) added = bias_chunk<Index>(bias, first % columns, columns);
#pragma unroll
  for (int word = 0; word < 4; ++word) {
    float2 pair = Element::widen(values.words[word]);
    if constexpr (AddBias) {
      const float2 b = Element::widen(added.words[word]);
      pair.x += b.x;
      pair.y += b.y;
    }
    values.words[word] = Element::narrow(Function::of(pair.x), Function::of(pair.y));
  }
  return values;
}

template <class Element, bool AddBias, class Function, class Index>
__global__ void __launch_bounds__(elementwise_threads)
    elementwise_kernel(std::uint16_t* y, const std::uint16_t* bias, Index elements, Index columns) {
  const Index whole = elements / 8;
  const Index first =
      static_cast<Index>(blockIdx.x) * (elementwise_threads * chunks_per_thread) + threadIdx.x;
  Chunk* const chunks = reinterpret_cast<Chunk*>(y);
  Chunk values[chunks_per_thread];
#pragma unroll
  for (int i = 0; i < chunks_per_thread; ++i)
    if (first + i * elementwise_threads < whole) values[i] = chunks[first + i * elementwise_threads];
#pragma unroll
  for (int i = 0; i < chunks_per_thread; ++i) {
    const Index chunk = first + i * elementwise_threads;
    if (chunk < whole) {
      chunks[chunk] = transform<Element, AddBias, Function, Index>(values[i], bias, chunk * 8, columns);
    } else if (chunk == whole) {  // the last elements, fewer than eight
      for (Index e = whole * 8; e < elements; ++e) {
        float value = Element::widen(y[e]);
        if constexpr (AddBias) value += Element::widen(bias[e % columns]);
        y[e] = Element::narrow(Function::of(value));
      }
    }
  }
}

// Enqueues the kernel on `stream`. Never waits.
template <class Element, bool AddBias, class Function>
void launch_elementwise(const Shape& shape, std::uint16_t* y, const std::uint16_t* bias,
                        cudaStream_t stream) {
  const std::int64_t elements = shape.m * shape.n;
  constexpr std::int64_t chunks_per_block = elementwise_threads * chunks_per_thread;
  // One chunk more than the whole ones: whoever gets it does the tail.
  const auto blocks = static_cast<unsigned>((elements / 8 + 1 + chunks_per_block - 1) / chunks_per_block);
  if (elements < (std::int64_t{1} << 31))  // 32-bit remainders are several times cheaper
    elementwise_kernel<Element, AddBias, Function, std::uint32_t><<<blocks, elementwise_threads, 0, stream>>>(
        y, bias, static_cast<std::uint32_t>(elements), static_cast<std::uint32_t>(shape.n));
  else
    elementwise_kernel<Element, AddBias, Function, std::uint64_t><<<blocks, elementwise_threads, 0, stream>>>(
        y, bias, static_cast<std::uint64_t>(elements), static_cast<std::uint64_t>(shape.n));
  kernels::check(cudaGetLastError(), "launch of elementwise_kernel");
}

// Calls action(element, form) with the types that `shape` asks for, F16 or BF16 and a Gelu constant.
template <class Action>
void with_types(const Shape& shape, const Action& action) {
  using Tanh = std::integral_constant<Gelu, Gelu::tanh_form>;
  using Erf = std::integral_constant<Gelu, Gelu::erf_form>;
  const auto with_form = [&](auto element) {
    if (shape.gelu == Gelu::erf_form)
      action(element, Erf{});
    else
      action(element, Tanh{});
  };
  if (shape.dtype == harness::sdk::DType::f16)
    with_form(F16{});
  else
    with_form(BF16{});
}

}  // namespace linear_gelu
