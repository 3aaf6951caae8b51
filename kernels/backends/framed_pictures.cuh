// Convolutions as products on the Tensor Cores, and the order of a picture's elements. Kernel code.
//
// A convolution reads and writes framed pictures: rows of channels, a row for each point, with a frame of
// zeros one point wide. The neighbours of all points at one tap of 3 x 3 are then the same rows, shifted.
#pragma once

#include "kernels/gemm/mma_tile.cuh"

namespace backends {

struct ReluEpilogue : gemm::PlainEpilogue {
  KERNEL_DEVICE float finish(float sum, float) const { return fmaxf(sum, 0.0F); }
};
static_assert(sizeof(ReluEpilogue) == sizeof(int));

// The pictures of a batch, framed or not.
struct Pictures {
  int batch = 1;
  int channels = 8;  // a multiple of 8
  int size = 1;
  int unused = 0;

  KERNEL_OR_HOST int pitch() const { return size + 2; }
  KERNEL_OR_HOST int framed_points() const { return pitch() * pitch(); }
};

// The weight of a tap begins at a multiple of the depth of a slot, and is filled up with zeros.
constexpr KERNEL_OR_HOST int tap_depth(int channels, int slot) {
  return (channels + slot - 1) / slot * slot;
}

// relu of a convolution as a product: m framed points, n channels, k = 9 taps of so many rows of W.
struct Convolution : gemm::Problem<ptx::F16> {
  Pictures pictures;

  struct PartOfX {
    int row;     // is added to the tile's
    int column;  // where the slot begins
    int columns;
  };
  // For the slot of k that begins at `begin`.
  KERNEL_DEVICE PartOfX part_of_x(int begin) const {
    const int depth = k / 9, tap = begin / depth;
    return {(tap / 3 - 1) * pictures.pitch() + tap % 3 - 1, begin - tap * depth, pictures.channels};
  }
  // A point of the frame, whose result is zero.
  KERNEL_DEVICE bool is_zero(int row) const {
    const int pitch = pictures.pitch(), at = row % (pitch * pitch);
    const int down = at / pitch, across = at % pitch;
    return down == 0 || down == pitch - 1 || across == 0 || across == pitch - 1;
  }
};
static_assert(sizeof(Convolution) == sizeof(gemm::Problem<ptx::F16>) + sizeof(Pictures));

template <class Tile>
__global__ void __launch_bounds__(Tile::threads)
    convolution_kernel(const __grid_constant__ Convolution problem, int tiles_down, int tiles_across) {
  KERNEL_DYNAMIC_SHARED(memory, 128);
  gemm::MmaTile<ptx::F16, Tile, true, ReluEpilogue, Convolution>::run(
      memory, problem, ReluEpilogue{},
      gemm::tile_position(static_cast<int>(blockIdx.x), tiles_down, tiles_across));
}

// Pictures (channels, points) from `x` framed to `y`, or back. A block turns 32 channels of 32 points through
// shared memory. Grid: points / 32 of a picture, channels / 32, pictures.
inline constexpr int turn_tile = 32;
inline constexpr int turn_rows = 8;  // that a block's threads move at a time

template <bool to_framed>
__global__ void __launch_bounds__(turn_tile* turn_rows)
    turn_kernel(const __grid_constant__ Pictures pictures, const std::uint16_t* x, std::uint16_t* y) {
  struct Tile {
    std::uint16_t of[turn_tile][turn_tile + 2];  // by channel, then point
  };
  KERNEL_SHARED(Tile, tile);
  const int across = static_cast<int>(threadIdx.x), down = static_cast<int>(threadIdx.y);
  const int pitch = pictures.pitch(), points = pictures.size * pictures.size;
  const int first_channel = static_cast<int>(blockIdx.y) * turn_tile;
  const auto picture = static_cast<std::int64_t>(blockIdx.z);
  const int first = static_cast<int>(blockIdx.x) * turn_tile;
  const std::int64_t framed = picture * pictures.framed_points(), plain = picture * pictures.channels;
  // Framed points are numbered with their frame, and are of no plain point there.
  const auto plain_of = [&](int point) {
    const int row = point / pitch - 1, column = point % pitch - 1;
    const bool inside = row >= 0 && row < pictures.size && column >= 0 && column < pictures.size;
    return inside ? row * pictures.size + column : -1;
  };
  KERNEL_UNROLL
  for (int i = down; i < turn_tile; i += turn_rows) {
    if constexpr (to_framed) {
      const int channel = first_channel + i, point = plain_of(first + across);
      tile.of[i][across] = channel < pictures.channels && point >= 0 ? x[(plain + channel) * points + point]
                                                                     : std::uint16_t{0};
    } else {
      const int channel = first_channel + across, point = first + i;
      if (channel < pictures.channels && point < pictures.framed_points())
        tile.of[across][i] = x[(framed + point) * pictures.channels + channel];
    }
  }
  __syncthreads();
  KERNEL_UNROLL
  for (int i = down; i < turn_tile; i += turn_rows) {
    if constexpr (to_framed) {
      const int channel = first_channel + across, point = first + i;
      if (channel < pictures.channels && point < pictures.framed_points())
        y[(framed + point) * pictures.channels + channel] = tile.of[across][i];
    } else {
      const int channel = first_channel + i, point = plain_of(first + across);
      if (channel < pictures.channels && first + across < pictures.framed_points() && point >= 0)
        y[(plain + channel) * points + point] = tile.of[i][across];
    }
  }
}

}  // namespace backends
