// Kernels of compression. The threshold of the largest values is found by radix: three counts of bits of the
// magnitudes, from the highest on, each within the values that agree in the bits before. Magnitudes of floats
// are ordered as their bits are.
#pragma once

#include "kernels/compression/compression.h"
#include "kernels/ptx/device.cuh"

namespace compression {

inline constexpr int compress_threads = 256;
inline constexpr int passes = 3;
inline constexpr int bins = 2048;

// Bits of a pass: 11, 10 and 10 of 31.
template <int pass>
inline constexpr int pass_shift = pass == 0   ? 20
                                  : pass == 1 ? 10
                                              : 0;
template <int pass>
inline constexpr int pass_bins = pass == 0 ? 2048 : 1024;

// In device memory, zeros before the first pass.
struct Selection {
  std::uint32_t counts[bins];
  std::uint32_t prefix;  // the bits of the threshold that are known; at last all of them
  std::uint32_t rank;    // of the threshold among the values that agree in these, from 1 for the largest
  std::uint32_t kept;    // pairs so far
  std::uint32_t unused;
};

struct Pair {
  std::uint32_t index;
  float value;
};

KERNEL_DEVICE std::uint32_t magnitude_bits(float value) {
  return __float_as_uint(value) & 0x7FFFFFFFU;
}

template <int pass>
__global__ void __launch_bounds__(compress_threads)
    count_kernel(const float* residual, const float* gradient, std::int64_t n, Selection* selection) {
  struct Counts {
    std::uint32_t of[bins];
  };
  KERNEL_SHARED(Counts, counts);
  for (int i = static_cast<int>(threadIdx.x); i < pass_bins<pass>; i += compress_threads) counts.of[i] = 0;
  __syncthreads();
  const std::uint32_t prefix = selection->prefix;
  const std::int64_t step = static_cast<std::int64_t>(gridDim.x) * compress_threads;
  for (std::int64_t i = static_cast<std::int64_t>(blockIdx.x) * compress_threads + threadIdx.x; i < n;
       i += step) {
    const std::uint32_t bits = magnitude_bits(residual[i] + gradient[i]) >> pass_shift<pass>;
    if (pass == 0 || bits / pass_bins<pass> == prefix) atomicAdd(&counts.of[bits % pass_bins<pass>], 1U);
  }
  __syncthreads();
  for (int i = static_cast<int>(threadIdx.x); i < pass_bins<pass>; i += compress_threads)
    if (counts.of[i] != 0) atomicAdd(&selection->counts[i], counts.of[i]);
}

// One block: the bin that holds the threshold. Each thread sums neighbouring bins, the first thread walks
// over the sums from the largest on, and then over the bins of one thread.
template <int pass>
__global__ void __launch_bounds__(compress_threads)
    choose_kernel(std::uint32_t first_rank, Selection* selection) {
  constexpr int each = pass_bins<pass> / compress_threads;
  struct Sums {
    std::uint32_t of[compress_threads];
  };
  KERNEL_SHARED(Sums, sums);
  const int thread = static_cast<int>(threadIdx.x);
  std::uint32_t sum = 0;
  for (int i = 0; i < each; ++i) sum += selection->counts[thread * each + i];
  sums.of[thread] = sum;
  __syncthreads();
  if (thread == 0) {
    std::uint32_t rank = pass == 0 ? first_rank : selection->rank;
    int at = compress_threads - 1;
    for (; at > 0 && sums.of[at] < rank; --at) rank -= sums.of[at];
    int bin = at * each + each - 1;
    for (; bin > at * each && selection->counts[bin] < rank; --bin) rank -= selection->counts[bin];
    selection->rank = rank;
    selection->prefix = selection->prefix * pass_bins<pass> + static_cast<std::uint32_t>(bin);
  }
  __syncthreads();
  for (int i = 0; i < each; ++i) selection->counts[thread * each + i] = 0;
}

// Appends the pairs above the threshold, and leaves the rest in the residual. A block takes room for all its
// pairs at once.
template <int threads>
__global__ void __launch_bounds__(threads)
    keep_kernel(float* residual, const float* gradient, std::int64_t n, Selection* selection, Pair* pairs) {
  constexpr int each = 4;
  struct Room {
    std::uint32_t taken, first;
  };
  KERNEL_SHARED(Room, room);
  const std::uint32_t threshold = selection->prefix;
  const std::int64_t step = static_cast<std::int64_t>(gridDim.x) * threads * each;
  for (std::int64_t tile = static_cast<std::int64_t>(blockIdx.x) * threads * each; tile < n; tile += step) {
    if (threadIdx.x == 0) room.taken = 0;
    __syncthreads();
    float kept[each];
    std::uint32_t slots[each];
    KERNEL_UNROLL
    for (int e = 0; e < each; ++e) {
      const std::int64_t i = tile + e * threads + threadIdx.x;
      slots[e] = 0xFFFFFFFFU;
      if (i >= n) continue;
      kept[e] = residual[i] + gradient[i];
      const bool keeps = magnitude_bits(kept[e]) > threshold;
      if (keeps) slots[e] = atomicAdd(&room.taken, 1U);
      residual[i] = keeps ? 0.0F : kept[e];
    }
    __syncthreads();
    if (threadIdx.x == 0) room.first = atomicAdd(&selection->kept, room.taken);
    __syncthreads();
    KERNEL_UNROLL
    for (int e = 0; e < each; ++e)
      if (slots[e] != 0xFFFFFFFFU)
        pairs[room.first + slots[e]] = {static_cast<std::uint32_t>(tile + e * threads + threadIdx.x),
                                        kept[e]};
    __syncthreads();
  }
}

// Into zeros.
template <int threads>
__global__ void __launch_bounds__(threads)
    scatter_kernel(const Selection* selection, const Pair* pairs, float* restored) {
  const std::uint32_t step = gridDim.x * threads, kept = selection->kept;
  for (std::uint32_t i = blockIdx.x * threads + threadIdx.x; i < kept; i += step)
    restored[pairs[i].index] = pairs[i].value;
}

// A warp takes a block of 256 values.
template <int threads>
__global__ void __launch_bounds__(threads)
    encode_kernel(float* residual, const float* gradient, std::int64_t n, std::int8_t* codes, float* scales) {
  constexpr int each = static_cast<int>(block_values) / 32;
  const int lane = static_cast<int>(threadIdx.x) % 32;
  const std::int64_t block = static_cast<std::int64_t>(blockIdx.x) * (threads / 32) + threadIdx.x / 32;
  if (block * block_values >= n) return;
  float sums[each];
  float largest = 0;
  KERNEL_UNROLL
  for (int e = 0; e < each; ++e) {
    const std::int64_t i = block * block_values + e * 32 + lane;
    sums[e] = i < n ? residual[i] + gradient[i] : 0.0F;
    largest = fmaxf(largest, fabsf(sums[e]));
  }
  KERNEL_UNROLL
  for (int bits = 16; bits > 0; bits /= 2)
    largest = fmaxf(largest, __shfl_xor_sync(0xFFFFFFFFU, largest, bits));
  const float scale = int8_scale(largest);
  if (lane == 0) scales[block] = scale;
  KERNEL_UNROLL
  for (int e = 0; e < each; ++e) {
    const std::int64_t i = block * block_values + e * 32 + lane;
    if (i >= n) continue;
    const float code = int8_code(sums[e], scale);
    codes[i] = static_cast<std::int8_t>(code);
    residual[i] = fmaf(-code, scale, sums[e]);
  }
}

template <int threads>
__global__ void __launch_bounds__(threads)
    decode_kernel(const std::int8_t* codes, const float* scales, std::int64_t n, float* restored) {
  const std::int64_t step = static_cast<std::int64_t>(gridDim.x) * threads;
  for (std::int64_t i = static_cast<std::int64_t>(blockIdx.x) * threads + threadIdx.x; i < n; i += step)
    restored[i] = static_cast<float>(codes[i]) * scales[i / block_values];
}

// The launches of a call on a device that is a parameter, with launch(kernel, grid, arguments...), zero(at,
// bytes) and multiprocessors().
template <class Device>
class Compressor {
 public:
  Compressor(const Settings& settings, std::int64_t n) : settings_(settings), n_(n) {}

  [[nodiscard]] std::size_t workspace_bytes() const {
    const auto values = static_cast<std::size_t>(n_);
    if (settings_.form == Form::int8) return scales_at() + (values / block_values + 1) * sizeof(float);
    return sizeof(Selection) + static_cast<std::size_t>(most_kept(settings_, n_)) * sizeof(Pair);
  }
  void run(Device& device, float* residual, const float* gradient, float* restored, void* workspace) const {
    if (settings_.form == Form::int8)
      run_int8(device, residual, gradient, restored, static_cast<unsigned char*>(workspace));
    else
      run_largest(device, residual, gradient, restored, static_cast<unsigned char*>(workspace));
  }

 private:
  [[nodiscard]] std::size_t scales_at() const { return (static_cast<std::size_t>(n_) + 255) / 256 * 256; }
  static unsigned blocks(const Device& device, std::int64_t values, std::int64_t each) {
    const std::int64_t most = 8 * device.multiprocessors();
    return static_cast<unsigned>(std::clamp<std::int64_t>((values + each - 1) / each, 1, most));
  }

  void run_largest(Device& device, float* residual, const float* gradient, float* restored,
                   unsigned char* workspace) const {
    auto* const selection = reinterpret_cast<Selection*>(workspace);
    auto* const pairs = reinterpret_cast<Pair*>(workspace + sizeof(Selection));
    const std::int64_t most = most_kept(settings_, n_);
    const auto rank = static_cast<std::uint32_t>(most + 1);
    const unsigned grid = blocks(device, n_, compress_threads * 4);
    device.zero(selection, sizeof(Selection));
    device.launch(count_kernel<0>, grid, residual, gradient, n_, selection);
    device.launch(choose_kernel<0>, 1, rank, selection);
    device.launch(count_kernel<1>, grid, residual, gradient, n_, selection);
    device.launch(choose_kernel<1>, 1, rank, selection);
    device.launch(count_kernel<2>, grid, residual, gradient, n_, selection);
    device.launch(choose_kernel<2>, 1, rank, selection);
    device.launch(keep_kernel<compress_threads>, grid, residual, gradient, n_, selection, pairs);
    device.zero(restored, static_cast<std::size_t>(n_) * sizeof(float));
    device.launch(scatter_kernel<compress_threads>, blocks(device, most, compress_threads), selection, pairs,
                  restored);
  }
  void run_int8(Device& device, float* residual, const float* gradient, float* restored,
                unsigned char* workspace) const {
    auto* const codes = reinterpret_cast<std::int8_t*>(workspace);
    auto* const scales = reinterpret_cast<float*>(workspace + scales_at());
    constexpr std::int64_t of_block = compress_threads / 32 * block_values;
    device.launch(encode_kernel<compress_threads>, static_cast<unsigned>((n_ + of_block - 1) / of_block),
                  residual, gradient, n_, codes, scales);
    device.launch(decode_kernel<compress_threads>, blocks(device, n_, compress_threads * 4), codes, scales,
                  n_, restored);
  }

  Settings settings_;
  std::int64_t n_;
};

}  // namespace compression
