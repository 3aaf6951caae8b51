// Kernels whose instruction caches see much and little: which of them change their time with their place?
#include <cuda_fp16.h>
#include <mma.h>

namespace {

template <int N>
__device__ __forceinline__ float unrolled(float value) {
  if constexpr (N == 0)
    return value;
  else
    return unrolled<N - 1>(value * 1.0000001F + static_cast<float>(N));
}

template <int Times>
__device__ __forceinline__ float often(float value) {
  if constexpr (Times == 0)
    return value;
  else
    return often<Times - 1>(unrolled<200>(value));
}

}  // namespace

// A loop of some hundred bytes.
extern "C" __global__ void small_loop(float* x, int turns) {
  const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  float value = x[i];
  for (int turn = 0; turn < turns; ++turn) {
    value = unrolled<24>(value);
    if (value > 1e30F) value = 0;
  }
  x[i] = value;
}

// by_hand.sh moves the loops by this.
#ifndef MOVED
#define MOVED
#endif

// Loops of some kilobytes, whose names say how many. The last ones are larger than every cache of
// instructions but the second level's.
#define LOOP(kilobytes, times)                                          \
  extern "C" __global__ void loop_##kilobytes##k(float* x, int turns) { \
    MOVED                                                               \
    const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;           \
    float value = x[i];                                                 \
    for (int turn = 0; turn < turns; ++turn) {                          \
      value = often<times>(value);                                      \
      if (value > 1e30F) value = 0;                                     \
    }                                                                   \
    x[i] = value;                                                       \
  }
LOOP(3, 1)
LOOP(13, 4)
LOOP(26, 8)
LOOP(32, 10)
LOOP(39, 12)
LOOP(51, 16)
LOOP(64, 20)
LOOP(96, 30)
LOOP(128, 40)
LOOP(160, 50)

// Memory decides.
extern "C" __global__ void gelu(const float4* x, float4* y, int n) {
  const int i = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
  if (i >= n) return;
  float4 value = x[i];
  float* parts = &value.x;
  for (int k = 0; k < 4; ++k)
    parts[k] *= 0.5F * (1 + tanhf(0.79788456F * (parts[k] + 0.044715F * parts[k] * parts[k] * parts[k])));
  y[i] = value;
}

// A product of halves, n by n, by WMMA: 64 by 64 a block of four warps.
extern "C" __global__ void product(const half* a, const half* b, float* c, int n) {
  using namespace nvcuda;
  const int warp = static_cast<int>(threadIdx.x) / 32;
  const int row = static_cast<int>(blockIdx.y) * 64 + warp / 2 * 32;
  const int column = static_cast<int>(blockIdx.x) * 64 + warp % 2 * 32;
  wmma::fragment<wmma::accumulator, 16, 16, 16, float> sums[2][2];
  for (auto& line : sums)
    for (auto& one : line) wmma::fill_fragment(one, 0);
  for (int k = 0; k < n; k += 16) {
    wmma::fragment<wmma::matrix_a, 16, 16, 16, half, wmma::row_major> left[2];
    wmma::fragment<wmma::matrix_b, 16, 16, 16, half, wmma::row_major> right[2];
    for (int i = 0; i < 2; ++i) {
      wmma::load_matrix_sync(left[i], a + static_cast<std::size_t>(row + 16 * i) * n + k, n);
      wmma::load_matrix_sync(right[i], b + static_cast<std::size_t>(k) * n + column + 16 * i, n);
    }
    for (int i = 0; i < 2; ++i)
      for (int j = 0; j < 2; ++j) wmma::mma_sync(sums[i][j], left[i], right[j], sums[i][j]);
  }
  for (int i = 0; i < 2; ++i)
    for (int j = 0; j < 2; ++j)
      wmma::store_matrix_sync(c + static_cast<std::size_t>(row + 16 * i) * n + column + 16 * j, sums[i][j], n,
                              wmma::mem_row_major);
}
