// The kernel of the variant direct. Each GPU sums one part of the values: it reads the part from all GPUs and
// writes the sums to all of them. Parts are disjoint, so no GPU waits for another. Kernel code: compiled by
// nvcc, and by a plain C++ compiler for the emulator.
#pragma once

#include <cstdint>

#include "kernels/ptx/device.cuh"

namespace all_reduce {

inline constexpr int direct_threads = 512;
inline constexpr int direct_vectors = 4;  // of a thread at once, of 4 values each

template <int Gpus>
struct DirectArguments {
  const float* from[Gpus] =
      {};  // the GPU's own first, then the next one's, so that no two read from one at once
  float* to[Gpus] = {};
  std::int64_t begin = 0;  // the GPU's part, in vectors
  std::int64_t end = 0;
};

template <int Gpus>
__global__ void __launch_bounds__(direct_threads) direct_kernel(const DirectArguments<Gpus> problem) {
  const std::int64_t step = static_cast<std::int64_t>(gridDim.x) * direct_threads;
  const std::int64_t first =
      problem.begin + static_cast<std::int64_t>(blockIdx.x) * direct_threads + static_cast<int>(threadIdx.x);
  for (std::int64_t i = first; i < problem.end; i += step * direct_vectors) {
    float4 parts[direct_vectors][Gpus];
    KERNEL_UNROLL
    for (int v = 0; v < direct_vectors; ++v) KERNEL_UNROLL
    for (int gpu = 0; gpu < Gpus; ++gpu)
      if (i + v * step < problem.end)
        parts[v][gpu] = reinterpret_cast<const float4*>(problem.from[gpu])[i + v * step];
    KERNEL_UNROLL
    for (int v = 0; v < direct_vectors; ++v) {
      if (i + v * step >= problem.end) break;
      float4 sum = parts[v][0];
      KERNEL_UNROLL
      for (int gpu = 1; gpu < Gpus; ++gpu) {
        sum.x += parts[v][gpu].x;
        sum.y += parts[v][gpu].y;
        sum.z += parts[v][gpu].z;
        sum.w += parts[v][gpu].w;
      }
      KERNEL_UNROLL
      for (int gpu = 0; gpu < Gpus; ++gpu) reinterpret_cast<float4*>(problem.to[gpu])[i + v * step] = sum;
    }
  }
}

}  // namespace all_reduce
