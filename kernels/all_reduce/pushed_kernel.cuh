// The kernel of the variant pushed. GPUs only write to each other, which takes less of a link than reading
// does: each sends the parts that others own to them, in chunks of a warp. The owner sums a chunk once a flag
// for each sender says that it is there, and writes the sums to all. A warp sends some rounds ahead of what
// it sums, so that it seldom waits. Kernel code: compiled by nvcc, and by a plain C++ compiler for the
// emulator.
#pragma once

#include <cstdint>

#include "kernels/ptx/flag.cuh"

namespace all_reduce {

inline constexpr int pushed_threads = 256;
inline constexpr int pushed_ahead = 2;  // rounds

// Vectors of 4 values that a lane has of a chunk. All that a chunk sends is in registers at once.
template <int Gpus>
inline constexpr int pushed_vectors = Gpus <= 4 ? 8 : 4;
template <int Gpus>
inline constexpr int pushed_chunk = 32 * pushed_vectors<Gpus>;  // vectors of a warp

// Lists of GPUs begin with the GPU itself, then comes the next one, and so on. A GPU has a place for what
// each other one sends, and flags, one for each chunk: first those of the GPU before it, then of the one
// before that.
template <int Gpus>
struct PushedArguments {
  const float4* values = nullptr;  // the GPU's own, all parts
  float4* results[Gpus] = {};      // all parts
  float4* places[Gpus] = {};       // (Gpus - 1, part)
  unsigned* flags[Gpus] = {};      // (Gpus - 1, chunks), all 0 before and after
  std::int64_t part = 0;           // vectors
  std::int64_t chunks = 0;         // of a part
  int gpu = 0;
};

// The chunk of each other GPU's part goes to its owner.
template <int Gpus>
KERNEL_DEVICE void send_chunk(const PushedArguments<Gpus>& problem, std::int64_t chunk) {
  constexpr int vectors = pushed_vectors<Gpus>;
  const int lane = static_cast<int>(threadIdx.x) % 32;
  const std::int64_t first = chunk * pushed_chunk<Gpus> + lane;
  float4 sent[Gpus][vectors];
  KERNEL_UNROLL
  for (int away = 1; away < Gpus; ++away) {
    const float4* const from = problem.values + (problem.gpu + away) % Gpus * problem.part;
    KERNEL_UNROLL
    for (int v = 0; v < vectors; ++v)
      if (first + v * 32 < problem.part) sent[away][v] = from[first + v * 32];
  }
  KERNEL_UNROLL
  for (int away = 1; away < Gpus; ++away) {
    float4* const to = problem.places[away] + (away - 1) * problem.part;
    KERNEL_UNROLL
    for (int v = 0; v < vectors; ++v)
      if (first + v * 32 < problem.part) to[first + v * 32] = sent[away][v];
  }
  __syncwarp();
  KERNEL_UNROLL
  for (int away = 1; away < Gpus; ++away)
    if (lane == away) ptx::raise_flag(problem.flags[away] + (away - 1) * problem.chunks + chunk);
}

// Sums a chunk of the GPU's own part, once all others have sent theirs, and writes it to all.
template <int Gpus>
KERNEL_DEVICE void sum_chunk(const PushedArguments<Gpus>& problem, std::int64_t chunk) {
  constexpr int vectors = pushed_vectors<Gpus>;
  const int lane = static_cast<int>(threadIdx.x) % 32;
  if (lane >= 1 && lane < Gpus) {
    unsigned* const flag = problem.flags[0] + (lane - 1) * problem.chunks + chunk;
    ptx::wait_for_flag(flag);
    *flag = 0;
  }
  __syncwarp();
  const std::int64_t first = chunk * pushed_chunk<Gpus> + lane, own = problem.gpu * problem.part;
  float4 sums[vectors];
  KERNEL_UNROLL
  for (int v = 0; v < vectors; ++v)
    if (first + v * 32 < problem.part) sums[v] = problem.values[own + first + v * 32];
  KERNEL_UNROLL
  for (int sender = 0; sender < Gpus - 1; ++sender) KERNEL_UNROLL
  for (int v = 0; v < vectors; ++v) {
    if (first + v * 32 >= problem.part) continue;
    const float4 more = problem.places[0][sender * problem.part + first + v * 32];
    sums[v].x += more.x;
    sums[v].y += more.y;
    sums[v].z += more.z;
    sums[v].w += more.w;
  }
  KERNEL_UNROLL
  for (int gpu = 0; gpu < Gpus; ++gpu) KERNEL_UNROLL
  for (int v = 0; v < vectors; ++v)
    if (first + v * 32 < problem.part) problem.results[gpu][own + first + v * 32] = sums[v];
}

// All GPUs have the same grid, so that the same warps send a chunk and sum it.
template <int Gpus>
__global__ void __launch_bounds__(pushed_threads) pushed_kernel(const PushedArguments<Gpus> problem) {
  const std::int64_t warps = static_cast<std::int64_t>(gridDim.x) * (pushed_threads / 32);
  const std::int64_t warp =
      static_cast<std::int64_t>(blockIdx.x) * (pushed_threads / 32) + static_cast<int>(threadIdx.x) / 32;
  for (std::int64_t sent = warp, summed = warp - pushed_ahead * warps; summed < problem.chunks;
       sent += warps, summed += warps) {
    if (sent < problem.chunks) send_chunk(problem, sent);
    if (summed >= 0) sum_chunk(problem, summed);
  }
}

}  // namespace all_reduce
