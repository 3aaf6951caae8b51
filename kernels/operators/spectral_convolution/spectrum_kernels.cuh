// The kernels between a library's transforms, which have all frequencies of a plane, n x (n / 2 + 1) of them,
// and mix_kernel, which has those that are kept. Kernel code.
#pragma once

#include "kernels/operators/spectral_convolution/plane_kernels.cuh"

namespace operators::spectral {

inline constexpr int spectrum_threads = 256;

// A thread a frequency that is kept. Grid: frequencies of all planes / 256.
__global__ void __launch_bounds__(spectrum_threads)
    crop_kernel(const float2* spectrum, float2* kept, int planes, int side) {
  const std::int64_t at = static_cast<std::int64_t>(blockIdx.x) * spectrum_threads + threadIdx.x;
  const std::int64_t plane = at / kept_frequencies;
  if (plane >= planes) return;
  const int row = static_cast<int>(at % kept_frequencies) / kept_modes;
  const int from = row < kept_modes ? row : side - kept_rows + row;
  kept[at] = spectrum[(plane * side + from) * (side / 2 + 1) + at % kept_modes];
}

// A thread a frequency of the library: what is kept, divided by n^2, or 0. The first column becomes what the
// transform of a real plane has, frequencies f and -f conjugates, because a library may read either half.
// Grid: frequencies of all planes / 256.
__global__ void __launch_bounds__(spectrum_threads)
    place_kernel(const float2* kept, float2* spectrum, int planes, int side) {
  const std::int64_t at = static_cast<std::int64_t>(blockIdx.x) * spectrum_threads + threadIdx.x;
  const int width = side / 2 + 1;
  const std::int64_t plane = at / (side * width);
  if (plane >= planes) return;
  const int row = static_cast<int>(at / width % side), column = static_cast<int>(at % width);
  const auto find = [&](int f) {  // mod side
    const int among = f < kept_modes ? f : f >= side - kept_modes ? f - side + kept_rows : -1;
    return among < 0 ? make_float2(0, 0) : kept[plane * kept_frequencies + among * kept_modes + column];
  };
  float2 value = make_float2(0, 0);
  if (column < kept_modes) {
    const float factor = 1.0F / (static_cast<float>(side) * static_cast<float>(side));
    value = find(row);
    if (column == 0) {
      const float2 other = find((side - row) % side);
      value = make_float2((value.x + other.x) / 2, (value.y - other.y) / 2);
    }
    value = make_float2(value.x * factor, value.y * factor);
  }
  spectrum[at] = value;
}

}  // namespace operators::spectral
