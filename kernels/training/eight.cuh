// Eight neighbouring elements of a row in registers, and sums over a block of threads: what all kernels of
// training share. Rows are multiples of eight elements, and begin at multiples of 16 bytes.
#pragma once

#include "kernels/ptx/small.cuh"
#include "kernels/ptx/warp.cuh"

namespace training {

inline constexpr int threads_a_block = 256;
using OfWarps = float[threads_a_block / 32];

struct Eight {
  float values[8];
};

// Sixteen bytes of BF16.
KERNEL_DEVICE Eight eight_of(const uint4& piece) {
  const std::uint32_t words[4] = {piece.x, piece.y, piece.z, piece.w};
  Eight eight;
  KERNEL_UNROLL
  for (int i = 0; i < 8; ++i)
    eight.values[i] = ptx::BF16::widen(static_cast<std::uint16_t>(words[i / 2] >> (i % 2 * 16)));
  return eight;
}
KERNEL_DEVICE uint4 load_piece(const void* from) {
  return *static_cast<const uint4*>(from);
}
KERNEL_DEVICE Eight load_eight(const std::uint16_t* from) {
  return eight_of(load_piece(from));
}

KERNEL_DEVICE Eight load_eight(const float* from) {
  const float4 low = *reinterpret_cast<const float4*>(from);
  const float4 high = *reinterpret_cast<const float4*>(from + 4);
  return {{low.x, low.y, low.z, low.w, high.x, high.y, high.z, high.w}};
}

KERNEL_DEVICE void store_eight(std::uint16_t* to, const Eight& eight) {
  *reinterpret_cast<uint4*>(to) = make_uint4(ptx::BF16::narrow(eight.values[0], eight.values[1]),
                                             ptx::BF16::narrow(eight.values[2], eight.values[3]),
                                             ptx::BF16::narrow(eight.values[4], eight.values[5]),
                                             ptx::BF16::narrow(eight.values[6], eight.values[7]));
}

KERNEL_DEVICE void store_eight(float* to, const Eight& eight) {
  *reinterpret_cast<float4*>(to) =
      make_float4(eight.values[0], eight.values[1], eight.values[2], eight.values[3]);
  *reinterpret_cast<float4*>(to + 4) =
      make_float4(eight.values[4], eight.values[5], eight.values[6], eight.values[7]);
}

struct Four {
  float values[4];
};
KERNEL_DEVICE Four load_four(const float* from) {
  const float4 four = *reinterpret_cast<const float4*>(from);
  return {{four.x, four.y, four.z, four.w}};
}
KERNEL_DEVICE void store_four(float* to, const Four& four) {
  *reinterpret_cast<float4*>(to) =
      make_float4(four.values[0], four.values[1], four.values[2], four.values[3]);
}

// As it is once it is stored in BF16.
KERNEL_DEVICE Eight as_stored(Eight eight) {
  KERNEL_UNROLL
  for (int i = 0; i < 8; i += 2) {
    const std::uint32_t pair = ptx::BF16::narrow(eight.values[i], eight.values[i + 1]);
    eight.values[i] = __uint_as_float(pair << 16);
    eight.values[i + 1] = __uint_as_float(pair & 0xFFFF0000U);
  }
  return eight;
}

// The first element of this thread's eight, and how far it is to its next eight in a row for one block.
KERNEL_DEVICE std::int64_t first_of_grid() {
  return (static_cast<std::int64_t>(blockIdx.x) * threads_a_block + threadIdx.x) * 8;
}
KERNEL_DEVICE std::int64_t step_of_grid() {
  return static_cast<std::int64_t>(gridDim.x) * threads_a_block * 8;
}
KERNEL_DEVICE int first_of_block() {
  return static_cast<int>(threadIdx.x) * 8;
}
inline constexpr int step_of_block = threads_a_block * 8;

// Raises *to, the bits of a float that is not negative, to at least `bits`. Such bits are in the order of
// floats.
KERNEL_DEVICE void raise_to(std::uint32_t bits, std::uint32_t* to) {
  if (bits > *to) atomicMax(to, bits);
}

// The total over the block's threads, in each of them. `parts` can be used again at once.
template <bool largest>
KERNEL_DEVICE float over_block(float value, float* parts) {
  value = largest ? ptx::warp_max(value) : ptx::warp_sum(value);
  __syncthreads();
  if (threadIdx.x % 32 == 0) parts[threadIdx.x / 32] = value;
  __syncthreads();
  float total = parts[0];
  KERNEL_UNROLL
  for (int i = 1; i < threads_a_block / 32; ++i) total = largest ? fmaxf(total, parts[i]) : total + parts[i];
  return total;
}

KERNEL_DEVICE float largest_of(const Eight& eight) {
  float largest = 0;
  KERNEL_UNROLL
  for (int e = 0; e < 8; ++e) largest = fmaxf(largest, fabsf(eight.values[e]));
  return largest;
}

// Sixteen bytes of elements.
template <class Element>
KERNEL_DEVICE float largest_of(const uint4& piece) {
  if constexpr (sizeof(Element) == 2)
    return largest_of(eight_of(piece));
  else
    return fmaxf(fmaxf(fabsf(__uint_as_float(piece.x)), fabsf(__uint_as_float(piece.y))),
                 fmaxf(fabsf(__uint_as_float(piece.z)), fabsf(__uint_as_float(piece.w))));
}

// Every thread's largest magnitude raises *bits, unless null. The order of blocks does not matter.
KERNEL_DEVICE void tell_largest(float largest, std::uint32_t* bits, float* parts) {
  if (bits == nullptr) return;
  largest = over_block<true>(largest, parts);
  if (threadIdx.x == 0) raise_to(__float_as_uint(largest), bits);
}
// The same of values that are stored in BF16: rounding keeps their order, so the largest one is enough.
KERNEL_DEVICE void tell_largest_stored(float largest, std::uint32_t* bits, float* parts) {
  tell_largest(__uint_as_float(ptx::BF16::narrow(largest, 0.0F) << 16), bits, parts);
}

}  // namespace training
