// The launches of the fused spectral convolution, for the GPU and the emulator: launch(kernel, grid, threads,
// shared bytes, arguments...). Host code.
#pragma once

#include "kernels/operators/spectral_convolution/mix_kernel.cuh"
#include "kernels/operators/spectral_convolution/spectral.h"

namespace operators::spectral {

template <int n>
Roots<n> roots_of() {
  Roots<n> roots;
  for (int k = 0; k < n; ++k) {
    const double angle = 2 * std::numbers::pi * k / n;
    roots.of[k] = make_float2(static_cast<float>(std::cos(angle)), static_cast<float>(std::sin(angle)));
  }
  return roots;
}

template <class Launch>
void launch_mix(const Shape& shape, const float2* kept, const float* w, float2* mixed, const Launch& launch) {
  const auto over = [](std::int64_t extent, int block) {
    return static_cast<unsigned>((extent + block - 1) / block);
  };
  MixArguments of;
  of.kept = kept;
  of.w = reinterpret_cast<const float2*>(w);
  of.mixed = mixed;
  of.batch = static_cast<int>(shape.batch);
  of.channels = static_cast<int>(shape.channels);
  launch(&mix_kernel<kept_frequencies>,
         dim3{kept_frequencies / mix_frequencies, over(shape.batch, mix_pictures),
              over(shape.channels, mix_channels)},
         dim3{mix_threads, 1, 1}, mix_shared_bytes, of);
}

// `kept` and `mixed` have the frequencies of all planes.
template <int n, class Launch>
void launch_spectral(const Shape& shape, const float* x, const float* w, float* y, float2* kept,
                     float2* mixed, const Launch& launch) {
  const Roots<n> roots = roots_of<n>();
  const dim3 planes{static_cast<unsigned>(shape.planes()), 1, 1};
  launch(&forward_kernel<n>, planes, dim3{n, 1, 1}, std::size_t{0}, x, kept, roots);
  launch_mix(shape, kept, w, mixed, launch);
  launch(&inverse_kernel<n>, planes, dim3{n, 1, 1}, std::size_t{0}, static_cast<const float2*>(mixed), y,
         roots);
}

}  // namespace operators::spectral
