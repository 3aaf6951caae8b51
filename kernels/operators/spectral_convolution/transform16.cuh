// Fourier transforms of sixteen points in registers, real on one side: fold16 and unfold16. Kernel code; no
// state.
#pragma once

#include "kernels/ptx/device.cuh"

namespace operators::spectral {

inline constexpr float cosine1 = 0.923879532511287F;  // of 1/16 of a turn
inline constexpr float sine1 = 0.382683432365090F;
inline constexpr float root_half = 0.707106781186548F;

// y[k] = sum over a of v[a] e^(-2 pi i a k / 16), k up to 8; beyond, y[16 - k] is the conjugate.
KERNEL_DEVICE void fold16(const float (&v)[16], float2 (&y)[9]) {
  float even[8], odd[8];  // odd frequencies see half a turn with the other sign
  KERNEL_UNROLL
  for (int a = 0; a < 8; ++a) {
    even[a] = v[a] + v[a + 8];
    odd[a] = v[a] - v[a + 8];
  }
  float fours[4], twos[4];
  KERNEL_UNROLL
  for (int a = 0; a < 4; ++a) {
    fours[a] = even[a] + even[a + 4];
    twos[a] = even[a] - even[a + 4];
  }
  y[0] = make_float2(fours[0] + fours[1] + (fours[2] + fours[3]), 0);
  y[8] = make_float2(fours[0] - fours[1] + (fours[2] - fours[3]), 0);
  y[4] = make_float2(fours[0] - fours[2], fours[3] - fours[1]);
  const float across = root_half * (twos[1] - twos[3]), along = root_half * (twos[1] + twos[3]);
  y[2] = make_float2(twos[0] + across, -twos[2] - along);
  y[6] = make_float2(twos[0] - across, twos[2] - along);
  // Odd ones: a and 8 - a have cosines of opposite sign and the same sine.
  const float p1 = odd[1] - odd[7], p2 = root_half * (odd[2] - odd[6]), p3 = odd[3] - odd[5];
  const float q1 = odd[1] + odd[7], q2 = root_half * (odd[2] + odd[6]), q3 = odd[3] + odd[5];
  y[1] = make_float2(odd[0] + p2 + (cosine1 * p1 + sine1 * p3), -(odd[4] + q2 + (sine1 * q1 + cosine1 * q3)));
  y[7] = make_float2(odd[0] + p2 - (cosine1 * p1 + sine1 * p3), odd[4] + q2 - (sine1 * q1 + cosine1 * q3));
  y[3] = make_float2(odd[0] - p2 + (sine1 * p1 - cosine1 * p3), odd[4] - q2 - (cosine1 * q1 - sine1 * q3));
  y[5] = make_float2(odd[0] - p2 - (sine1 * p1 - cosine1 * p3), q2 - odd[4] - (cosine1 * q1 - sine1 * q3));
}

// v[a] = the real part of the sum over k of e[k] e^(2 pi i a k / 16).
KERNEL_DEVICE void unfold16(const float2 (&e)[16], float (&v)[16]) {
  float2 g[8];  // k and 16 - k together
  KERNEL_UNROLL
  for (int k = 1; k < 8; ++k) g[k] = make_float2(e[k].x + e[16 - k].x, e[k].y - e[16 - k].y);
  const float sum = e[0].x + e[8].x, difference = e[0].x - e[8].x;
  const float fours[4] = {sum + g[4].x, difference - g[4].y, sum - g[4].x, difference + g[4].y};
  const float twos[4] = {g[2].x + g[6].x, root_half * (g[2].x - g[6].x - (g[2].y + g[6].y)), g[6].y - g[2].y,
                         root_half * (g[6].x - g[2].x - (g[2].y + g[6].y))};
  const float p1 = g[1].x - g[7].x, p3 = g[3].x - g[5].x;
  const float q1 = g[1].y + g[7].y, q3 = g[3].y + g[5].y;
  const float even_cosine = g[1].x + g[7].x - (g[3].x + g[5].x),
              even_sine = g[1].y - g[7].y + (g[3].y - g[5].y);
  const float cosines[4] = {g[1].x + g[7].x + (g[3].x + g[5].x), cosine1 * p1 + sine1 * p3,
                            root_half * even_cosine, sine1 * p1 - cosine1 * p3};
  const float sines[5] = {0, sine1 * q1 + cosine1 * q3, root_half * even_sine, cosine1 * q1 - sine1 * q3,
                          g[1].y - g[3].y + (g[5].y - g[7].y)};
  KERNEL_UNROLL
  for (int a = 0; a < 8; ++a) {
    const float even = a < 4 ? fours[a] + twos[a] : fours[a - 4] - twos[a - 4];
    const float odd = a < 4 ? cosines[a] - sines[a] : a == 4 ? -sines[4] : -cosines[8 - a] - sines[8 - a];
    v[a] = even + odd;
    v[a + 8] = even - odd;
  }
}

}  // namespace operators::spectral
