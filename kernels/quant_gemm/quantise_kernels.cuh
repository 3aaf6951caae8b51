// Rounding X to int8 or E4M3 in the timed call, and the scaling of int32 sums after it. Plain kernels; the
// host code that chooses among them is quantised_x.cuh.
#pragma once

#include "kernels/ptx/small.cuh"

namespace quant_gemm {

inline constexpr int quantise_threads = 256;
using OfWarps = float[quantise_threads / 32];

// A scale for which the largest magnitude becomes the type's largest code. 1 for zeros.
template <class Code>
KERNEL_DEVICE float scale_for(float largest) {
  return largest > 0 ? largest / Code::largest : 1.0F;
}

template <class Code>
KERNEL_DEVICE typename Code::Storage rounded(std::uint16_t value, float inverse_scale) {
  return Code::narrow(ptx::F16::widen(value) * inverse_scale);
}

KERNEL_DEVICE float magnitude_of(std::uint16_t half) {
  return ptx::F16::widen(static_cast<std::uint16_t>(half & 0x7FFFU));
}

// The largest value of a warp's threads, in each of them.
KERNEL_DEVICE float largest_of_warp(float value) {
  KERNEL_UNROLL
  for (int bits = 16; bits > 0; bits /= 2) value = max(value, __shfl_xor_sync(0xFFFFFFFFU, value, bits));
  return value;
}

// The largest value of a block of quantise_threads threads, in each of them. `parts` is shared memory of a
// float a warp.
KERNEL_DEVICE float largest_of_block(float value, float* parts) {
  value = largest_of_warp(value);
  if (threadIdx.x % 32 == 0) parts[threadIdx.x / 32] = value;
  __syncthreads();
  float largest = 0;
  KERNEL_UNROLL
  for (int i = 0; i < quantise_threads / 32; ++i) largest = max(largest, parts[i]);
  return largest;
}

// Calls act(index, count) for 8 elements at a time of [0, total), strided over `threads` threads; fewer at
// the end. Rows begin at whole pieces of 16 bytes if k is a multiple of 8; otherwise elements come one by
// one.
template <class Act>
KERNEL_DEVICE void for_each_piece(std::int64_t total, std::int64_t thread, std::int64_t threads, Act act) {
  for (std::int64_t i = thread * 8; i < total; i += threads * 8)
    act(i, static_cast<int>(total - i < 8 ? total - i : 8));
}

struct EightHalves {
  std::uint16_t values[8] = {};
};

KERNEL_DEVICE EightHalves read_halves(const std::uint16_t* from, int count) {
  EightHalves eight;
  if (count == 8 && reinterpret_cast<std::uintptr_t>(from) % 16 == 0) {
    const uint4 piece = *reinterpret_cast<const uint4*>(from);
    const std::uint32_t words[4] = {piece.x, piece.y, piece.z, piece.w};
    KERNEL_UNROLL
    for (int i = 0; i < 8; ++i) eight.values[i] = static_cast<std::uint16_t>(words[i / 2] >> (i % 2 * 16));
  } else {
    KERNEL_UNROLL
    for (int i = 0; i < 8; ++i)
      if (i < count) eight.values[i] = from[i];
  }
  return eight;
}

template <class Code>
KERNEL_DEVICE void write_codes(typename Code::Storage* to, const EightHalves& eight, int count, float scale) {
  const float inverse = 1.0F / scale;
  if (count == 8 && reinterpret_cast<std::uintptr_t>(to) % 8 == 0) {
    std::uint32_t words[2] = {};
    KERNEL_UNROLL
    for (int i = 0; i < 8; ++i)
      words[i / 4] |=
          static_cast<std::uint32_t>(static_cast<std::uint8_t>(rounded<Code>(eight.values[i], inverse)))
          << (i % 4 * 8);
    *reinterpret_cast<uint2*>(to) = make_uint2(words[0], words[1]);
  } else {
    KERNEL_UNROLL
    for (int i = 0; i < 8; ++i)
      if (i < count) to[i] = rounded<Code>(eight.values[i], inverse);
  }
}

KERNEL_DEVICE float largest_of(const EightHalves& eight) {
  float largest = 0;
  KERNEL_UNROLL
  for (int i = 0; i < 8; ++i) largest = max(largest, magnitude_of(eight.values[i]));
  return largest;
}

// One block a token. The row is read twice, the second time from the cache.
template <class Code>
__global__ void __launch_bounds__(quantise_threads)
    quantise_tokens(const std::uint16_t* x, typename Code::Storage* codes, float* scales, int k) {
  KERNEL_SHARED(OfWarps, parts);
  const std::int64_t row = blockIdx.x;
  x += row * k;
  float largest = 0;
  for_each_piece(k, threadIdx.x, quantise_threads, [&](std::int64_t i, int count) {
    largest = max(largest, largest_of(read_halves(x + i, count)));
  });
  const float scale = scale_for<Code>(largest_of_block(largest, parts));
  if (threadIdx.x == 0) scales[row] = scale;
  for_each_piece(k, threadIdx.x, quantise_threads, [&](std::int64_t i, int count) {
    write_codes<Code>(codes + row * k + i, read_halves(x + i, count), count, scale);
  });
}

// Sixteen threads a group of 128 of k. The grid has ceil(groups / 16) x m blocks; the scales of a group's
// tokens are neighbours.
template <class Code>
__global__ void __launch_bounds__(quantise_threads)
    quantise_groups(const std::uint16_t* x, typename Code::Storage* codes, float* scales, int m, int k) {
  const std::int64_t row = blockIdx.y;
  const int at = static_cast<int>(blockIdx.x * (quantise_threads / 16) + threadIdx.x / 16);
  const std::int64_t i = at * std::int64_t{128} + threadIdx.x % 16 * 8;
  const int count = static_cast<int>(i >= k ? 0 : k - i < 8 ? k - i : 8);
  const std::uint16_t* const from = x + row * k + i;
  const EightHalves eight = count > 0 ? read_halves(from, count) : EightHalves{};
  float largest = largest_of(eight);
  KERNEL_UNROLL
  for (int bits = 8; bits > 0; bits /= 2) largest = max(largest, __shfl_xor_sync(0xFFFFFFFFU, largest, bits));
  const float scale = scale_for<Code>(largest);
  if (count > 0 && threadIdx.x % 16 == 0) scales[static_cast<std::int64_t>(at) * m + row] = scale;
  if (count > 0) write_codes<Code>(codes + row * k + i, eight, count, scale);
}

// The largest magnitude of the whole X, as bits of a float: those of positive floats are in their order. It
// begins at 0.
template <class Element>
__global__ void __launch_bounds__(quantise_threads)
    find_largest(const typename Element::Storage* x, std::int64_t elements, std::uint32_t* largest_bits) {
  KERNEL_SHARED(OfWarps, parts);
  float largest = 0;
  for_each_piece(elements, blockIdx.x * std::int64_t{quantise_threads} + threadIdx.x,
                 gridDim.x * std::int64_t{quantise_threads}, [&](std::int64_t i, int count) {
                   largest = max(largest, largest_of(read_halves(x + i, count)));
                 });
  largest = largest_of_block(largest, parts);
  if (threadIdx.x == 0) atomicMax(largest_bits, __float_as_uint(largest));
}

template <class Code>
__global__ void __launch_bounds__(quantise_threads)
    quantise_tensor(const std::uint16_t* x, typename Code::Storage* codes, std::int64_t elements,
                    const std::uint32_t* largest_bits, float* scales) {
  const float scale = scale_for<Code>(__uint_as_float(*largest_bits));
  if (blockIdx.x == 0 && threadIdx.x == 0) *scales = scale;
  for_each_piece(elements, blockIdx.x * std::int64_t{quantise_threads} + threadIdx.x,
                 gridDim.x * std::int64_t{quantise_threads}, [&](std::int64_t i, int count) {
                   write_codes<Code>(codes + i, read_halves(x + i, count), count, scale);
                 });
}

// y = sums x_scales[token] w_scales[channel]: the epilogue of a product that leaves its int32 sums in memory.
// n is a multiple of 4.
template <class Result>
__global__ void __launch_bounds__(quantise_threads)
    scale_sums(const std::int32_t* sums, const float* x_scales, const float* w_scales,
               typename Result::Storage* y, std::int64_t elements, int n) {
  const std::int64_t i = (blockIdx.x * std::int64_t{quantise_threads} + threadIdx.x) * 4;
  if (i >= elements) return;
  const float of_token = x_scales[i / n];
  const float4 of_channels = *reinterpret_cast<const float4*>(w_scales + i % n);
  const int4 four = *reinterpret_cast<const int4*>(sums + i);
  const auto scaled = [&](int sum, float of_channel) {
    return static_cast<float>(sum) * of_token * of_channel;
  };
  *reinterpret_cast<uint2*>(y + i) =
      make_uint2(Result::narrow(scaled(four.x, of_channels.x), scaled(four.y, of_channels.y)),
                 Result::narrow(scaled(four.z, of_channels.z), scaled(four.w, of_channels.w)));
}

}  // namespace quant_gemm
