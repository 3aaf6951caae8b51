// forward_kernel and inverse_kernel: two-dimensional transforms of planes of n x n points, from and to their
// 32 x 16 lowest frequencies alone. A block has a plane, which is read or written once. A transform of n = 16
// R points is R transforms of 16 in registers, of which what is kept is put together by rotations (Cooley and
// Tukey, 1965). Down the plane a thread has a column; across, R lanes share a row. Kernel code.
#pragma once

#include <type_traits>

#include "kernels/operators/spectral_convolution/transform16.cuh"

namespace operators::spectral {

inline constexpr int kept_modes = 16;
inline constexpr int kept_rows = 2 * kept_modes;
inline constexpr int kept_frequencies = kept_rows * kept_modes;
// Rows of a plane transformed down: frequency 0, which is real, then real and imaginary parts of 1 to 16.
inline constexpr int half_rows = 1 + 2 * kept_modes;

// roots[k] = e^(2 pi i k / n). A kernel has them as a parameter, so that those it names are operands.
template <int n>
struct Roots {
  float2 of[n];
};

KERNEL_DEVICE float2 product(float2 a, float2 b) {
  return make_float2(a.x * b.x - a.y * b.y, a.x * b.y + a.y * b.x);
}

template <int n>
struct PlaneMemory {
  static constexpr int parts = n / 16;      // R
  static constexpr int stride = n + parts;  // of a row, so that lanes of a warp meet 32 different banks
  float rows[half_rows][stride];
  float2 of_rows[half_rows][kept_modes];
};

// Powers 0 to 15 of a root.
KERNEL_DEVICE void fill_powers(float2 root, float2 (&powers)[16]) {
  powers[0] = make_float2(1, 0);
  powers[1] = root;
  KERNEL_UNROLL
  for (int k = 2; k < 16; ++k) powers[k] = product(powers[k / 2], powers[k - k / 2]);
}

// The sums over `parts` neighbouring lanes of sixteen numbers: lane l of them gets those from l (16 / parts)
// on, at the beginning of `z`.
template <int parts>
KERNEL_DEVICE void sum_over_lanes(float2 (&z)[16], int lane) {
  KERNEL_UNROLL
  for (int mask = parts / 2, half = 8; mask > 0; mask /= 2, half /= 2) {
    const bool upper = (lane & mask) != 0;
    KERNEL_UNROLL
    for (int i = 0; i < 8; ++i) {
      if (i >= half) continue;
      const float2 mine = upper ? z[i + half] : z[i], other = upper ? z[i] : z[i + half];
      z[i] = make_float2(mine.x + __shfl_xor_sync(0xFFFFFFFFU, other.x, mask),
                         mine.y + __shfl_xor_sync(0xFFFFFFFFU, other.y, mask));
    }
  }
}

// Grid: planes. kept[plane][32][16].
template <int n>
__global__ void __launch_bounds__(n)
    forward_kernel(const float* x, float2* kept, const __grid_constant__ Roots<n> roots) {
  using Memory = PlaneMemory<n>;
  constexpr int parts = Memory::parts;
  KERNEL_SHARED(Memory, memory);
  const int thread = static_cast<int>(threadIdx.x);

  {
    const float* const column = x + static_cast<std::int64_t>(blockIdx.x) * (n * n) + thread;
    float2 sums[kept_modes + 1] = {};
    float next[16];
    KERNEL_UNROLL
    for (int a = 0; a < 16; ++a) next[a] = __ldg(column + a * parts * n);
    KERNEL_UNROLL
    for (int r = 0; r < parts; ++r) {
      float points[16];
      KERNEL_UNROLL
      for (int a = 0; a < 16; ++a) points[a] = next[a];
      if (r + 1 < parts) {
        KERNEL_UNROLL
        for (int a = 0; a < 16; ++a) next[a] = __ldg(column + (a * parts + r + 1) * n);
      }
      float2 folded[9];
      fold16(points, folded);
      KERNEL_UNROLL
      for (int k = 0; k <= kept_modes; ++k) {
        const int at = k % 16 <= 8 ? k % 16 : 16 - k % 16;
        const float2 value = make_float2(folded[at].x, k % 16 <= 8 ? folded[at].y : -folded[at].y);
        const float2 root = roots.of[r * k % n];  // times its conjugate
        sums[k].x += value.x * root.x + value.y * root.y;
        sums[k].y += value.y * root.x - value.x * root.y;
      }
    }
    memory.rows[0][thread] = sums[0].x;
    KERNEL_UNROLL
    for (int k = 1; k <= kept_modes; ++k) {
      memory.rows[2 * k - 1][thread] = sums[k].x;
      memory.rows[2 * k][thread] = sums[k].y;
    }
  }
  __syncthreads();

  {
    const int part = thread % parts;
    float2 powers[16];
    fill_powers(make_float2(roots.of[part].x, -roots.of[part].y), powers);
    KERNEL_NO_UNROLL
    for (int first = 0; first < half_rows; first += n / parts) {
      const int row = first + thread / parts;
      if (first + thread / 32 * (32 / parts) >= half_rows) break;  // the warp has no row
      float points[16];
      KERNEL_UNROLL
      for (int a = 0; a < 16; ++a) points[a] = row < half_rows ? memory.rows[row][a * parts + part] : 0.0F;
      float2 folded[9], z[16];
      fold16(points, folded);
      KERNEL_UNROLL
      for (int k = 0; k < 16; ++k)
        z[k] = product(k <= 8 ? folded[k] : make_float2(folded[16 - k].x, -folded[16 - k].y), powers[k]);
      sum_over_lanes<parts>(z, part);
      KERNEL_UNROLL
      for (int i = 0; i < 16 / parts; ++i)
        if (row < half_rows) memory.of_rows[row][part * (16 / parts) + i] = z[i];
    }
  }
  __syncthreads();

  // With A and B of the real and the imaginary part: frequency f has A + i B, and -f has A - i B.
  float2* const result = kept + static_cast<std::int64_t>(blockIdx.x) * kept_frequencies;
  KERNEL_UNROLL
  for (int i = 0; i < kept_frequencies / n; ++i) {
    const int at = i * n + thread, row = at / kept_modes, k = at % kept_modes;
    const int f = row < kept_modes ? row : kept_rows - row;
    const float sign = row < kept_modes ? 1.0F : -1.0F;
    const float2 a = memory.of_rows[f == 0 ? 0 : 2 * f - 1][k];
    const float2 b = f == 0 ? make_float2(0, 0) : memory.of_rows[2 * f][k];
    result[at] = make_float2(a.x - sign * b.y, a.y + sign * b.x);
  }
}

// Grid: planes. kept[plane][32][16]; what it holds is divided by n^2.
template <int n>
__global__ void __launch_bounds__(n)
    inverse_kernel(const float2* kept, float* y, const __grid_constant__ Roots<n> roots) {
  using Memory = PlaneMemory<n>;
  constexpr int parts = Memory::parts;
  KERNEL_SHARED(Memory, memory);
  const int thread = static_cast<int>(threadIdx.x);

  // Real and imaginary part down the plane, of frequencies f and -f together, as transforms whose real part
  // counts. Frequencies across that have no negative counterpart here count twice.
  const float2* const given = kept + static_cast<std::int64_t>(blockIdx.x) * kept_frequencies;
  for (int at = thread; at < half_rows * kept_modes; at += n) {
    const int row = at / kept_modes, k = at % kept_modes, f = (row + 1) / 2;
    const float factor = (k == 0 ? 1.0F : 2.0F) / (n * n);
    const bool real = row % 2 == 1 || row == 0;
    const float2 none = make_float2(0, 0);
    const float2 up = f < kept_modes ? __ldg(given + f * kept_modes + k) : none;
    const float2 down = f > 0 ? __ldg(given + (kept_rows - f) * kept_modes + k) : none;
    memory.of_rows[row][k] = real ? make_float2(factor * (up.x + down.x), factor * (up.y + down.y))
                                  : make_float2(factor * (up.y - down.y), factor * (down.x - up.x));
  }
  __syncthreads();

  {
    const int part = thread % parts;
    float2 powers[16];
    fill_powers(roots.of[part], powers);
    KERNEL_NO_UNROLL
    for (int row = thread / parts; row < half_rows; row += n / parts) {
      float2 e[16];
      KERNEL_UNROLL
      for (int k = 0; k < 16; ++k) e[k] = product(memory.of_rows[row][k], powers[k]);
      float points[16];
      unfold16(e, points);
      KERNEL_UNROLL
      for (int a = 0; a < 16; ++a) memory.rows[row][a * parts + part] = points[a];
    }
  }
  __syncthreads();

  float2 column[kept_modes + 1];
  column[0] = make_float2(memory.rows[0][thread], 0);
  KERNEL_UNROLL
  for (int k = 1; k <= kept_modes; ++k)
    column[k] = make_float2(memory.rows[2 * k - 1][thread], memory.rows[2 * k][thread]);
  float* const to = y + static_cast<std::int64_t>(blockIdx.x) * (n * n) + thread;
  KERNEL_UNROLL
  for (int r = 0; r < parts; ++r) {
    float2 e[16];
    KERNEL_UNROLL
    for (int k = 0; k < 16; ++k) e[k] = product(column[k], roots.of[r * k % n]);
    e[0].x += product(column[16], roots.of[r * 16 % n]).x;  // one and the same for 16 points
    float points[16];
    unfold16(e, points);
    KERNEL_UNROLL
    for (int a = 0; a < 16; ++a) to[(a * parts + r) * n] = points[a];
  }
}

}  // namespace operators::spectral
