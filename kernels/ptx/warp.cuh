// Reductions over the 32 lanes of a warp; every lane gets the result.
#pragma once

#include "kernels/ptx/device.cuh"

namespace ptx {

KERNEL_DEVICE float warp_max(float value) {
  KERNEL_UNROLL
  for (int bits = 16; bits > 0; bits /= 2) value = fmaxf(value, __shfl_xor_sync(0xFFFFFFFFU, value, bits));
  return value;
}
KERNEL_DEVICE float warp_sum(float value) {
  KERNEL_UNROLL
  for (int bits = 16; bits > 0; bits /= 2) value += __shfl_xor_sync(0xFFFFFFFFU, value, bits);
  return value;
}

}  // namespace ptx
