// mix_kernel: the product of frequencies with the weights, over channels. A block has 32 frequencies of 16
// pictures and 16 channels of the result. Four channels of x at a time come to shared memory by asynchronous
// copies, in a ring. A lane has a frequency, a warp 4 pictures and 8 channels. Kernel code.
#pragma once

#include <type_traits>

#include "kernels/operators/spectral_convolution/plane_kernels.cuh"
#include "kernels/ptx/mma.cuh"

namespace operators::spectral {

inline constexpr int mix_frequencies = 32;
inline constexpr int mix_pictures = 16;
inline constexpr int mix_channels = 16;
inline constexpr int mix_threads = 256;
inline constexpr int mix_depth = 4;  // channels of x in a slot
inline constexpr int mix_stages = 4;

struct MixArguments {
  const float2* kept = nullptr;  // (b, c, 512)
  const float2* w = nullptr;     // (c, c, 512)
  float2* mixed = nullptr;       // (b, c, 512)
  int batch = 0;
  int channels = 0;
};
static_assert(std::has_unique_object_representations_v<MixArguments>);

struct MixSlot {
  float2 kept[mix_depth][mix_pictures][mix_frequencies];
  float2 w[mix_depth][mix_channels][mix_frequencies];
};
inline constexpr std::size_t mix_shared_bytes = mix_stages * sizeof(MixSlot);

class Mix {
 public:
  KERNEL_DEVICE Mix(const MixArguments& of, MixSlot* slots)
      : of_(of),
        slots_(slots),
        frequency_(static_cast<int>(blockIdx.x) * mix_frequencies),
        picture_(static_cast<int>(blockIdx.y) * mix_pictures),
        channel_(static_cast<int>(blockIdx.z) * mix_channels) {}

  KERNEL_DEVICE void run() const {
    const int lane = static_cast<int>(threadIdx.x) % 32, warp = static_cast<int>(threadIdx.x) / 32;
    const int pictures = warp % 4 * 4, channels = warp / 4 * 8;  // the warp's first
    const int steps = (of_.channels + mix_depth - 1) / mix_depth;
    float2 sums[4][8] = {};
    for (int step = 0; step < mix_stages - 1; ++step) fill(step, steps);
    KERNEL_NO_UNROLL
    for (int step = 0; step < steps; ++step) {
      ptx::cp_async_wait<mix_stages - 2>();
      __syncthreads();  // everyone's copies; and the slot before has been read
      fill(step + mix_stages - 1, steps);
      const MixSlot& slot = slots_[step % mix_stages];
      KERNEL_UNROLL
      for (int i = 0; i < mix_depth; ++i) {
        float2 kept[4];
        KERNEL_UNROLL
        for (int b = 0; b < 4; ++b) kept[b] = slot.kept[i][pictures + b][lane];
        KERNEL_UNROLL
        for (int o = 0; o < 8; ++o) {
          const float2 w = slot.w[i][channels + o][lane];
          KERNEL_UNROLL
          for (int b = 0; b < 4; ++b) {
            sums[b][o].x += kept[b].x * w.x - kept[b].y * w.y;
            sums[b][o].y += kept[b].x * w.y + kept[b].y * w.x;
          }
        }
      }
    }
    ptx::cp_async_wait<0>();
    KERNEL_UNROLL
    for (int b = 0; b < 4; ++b) KERNEL_UNROLL
    for (int o = 0; o < 8; ++o) {
      const int picture = picture_ + pictures + b, channel = channel_ + channels + o;
      if (picture < of_.batch && channel < of_.channels)
        of_.mixed[(static_cast<std::int64_t>(picture) * of_.channels + channel) * kept_frequencies +
                  frequency_ + lane] = sums[b][o];
    }
  }

 private:
  // Copies a step's numbers and ends the group; zeros past the tensors.
  KERNEL_DEVICE void fill(int step, int steps) const {
    if (step < steps) {
      MixSlot& slot = slots_[step % mix_stages];
      for (int at = static_cast<int>(threadIdx.x); at < mix_depth * mix_pictures * mix_frequencies / 2;
           at += mix_threads) {
        const int piece = at % (mix_frequencies / 2) * 2, row = at / (mix_frequencies / 2) % mix_pictures;
        const int depth = at / (mix_frequencies / 2) / mix_pictures, i = step * mix_depth + depth;
        copy(&slot.kept[depth][row][piece], of_.kept, picture_ + row, i,
             picture_ + row < of_.batch && i < of_.channels, piece);
        copy(&slot.w[depth][row][piece], of_.w, i, channel_ + row,
             i < of_.channels && channel_ + row < of_.channels, piece);
      }
    }
    ptx::cp_async_commit();
  }

  // Two numbers of matrix [row][column] of frequencies.
  KERNEL_DEVICE void copy(float2* to, const float2* from, int row, int column, bool inside, int piece) const {
    const std::int64_t matrix = inside ? static_cast<std::int64_t>(row) * of_.channels + column : 0;
    ptx::cp_async_16(ptx::shared_address(to), from + matrix * kept_frequencies + frequency_ + piece,
                     inside ? 16 : 0);
  }

  const MixArguments& of_;
  MixSlot* slots_;
  int frequency_;  // the block's first
  int picture_;    // likewise
  int channel_;    // likewise
};
static_assert(mix_pictures == mix_channels, "fill() copies a row of each");

// Grid: frequencies / 32, pictures / 16, channels / 16. A template, because several variants have it.
template <int frequencies>
__global__ void __launch_bounds__(mix_threads) mix_kernel(const __grid_constant__ MixArguments of) {
  static_assert(frequencies == kept_frequencies);
  KERNEL_DYNAMIC_SHARED(memory, 128);
  Mix(of, reinterpret_cast<MixSlot*>(memory)).run();
}

}  // namespace operators::spectral
