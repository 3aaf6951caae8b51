// im2col_kernel: the neighbourhoods of pictures (channels, size, size) as matrices (channels, 3, 3, points),
// with zeros outside. A convolution is then a product for each picture. Kernel code.
#pragma once

#include "kernels/backends/framed_pictures.cuh"

namespace backends {

inline constexpr int im2col_threads = 256;

// Grid: points / threads, 9 channels, pictures.
template <class Storage>
__global__ void __launch_bounds__(im2col_threads)
    im2col_kernel(Pictures pictures, const Storage* x, Storage* y) {
  const int size = pictures.size, points = size * size;
  const int point = static_cast<int>(blockIdx.x) * im2col_threads + static_cast<int>(threadIdx.x);
  if (point >= points) return;
  const int channel = static_cast<int>(blockIdx.y) / 9, tap = static_cast<int>(blockIdx.y) % 9;
  const int row = point / size + tap / 3 - 1, column = point % size + tap % 3 - 1;
  const bool inside = row >= 0 && row < size && column >= 0 && column < size;
  const auto plane = static_cast<std::int64_t>(blockIdx.z) * pictures.channels + channel;
  y[(plane * 9 + tap) * points + point] = inside ? x[plane * points + row * size + column] : Storage{};
}

}  // namespace backends
