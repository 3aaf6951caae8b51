// Epilogues of products of small codes (gemm/tiles.cuh): scales by token and channel after all of k, or of
// blocks while k goes on.
#pragma once

#include "kernels/ptx/device.cuh"

namespace quant_gemm {

// Y = sum x_scales[token] w_scales[channel]. A step of 0: one scale for all.
struct ScaledEpilogue {
  const float* x_scales = nullptr;
  const float* w_scales = nullptr;
  int x_step = 0;
  int w_step = 0;

  struct Pair {
    float low = 0;
    float high = 0;
  };
  KERNEL_DEVICE Pair of_pair(int column) const {
    return {w_scales[column * w_step], w_scales[(column + 1) * w_step]};
  }
  static KERNEL_DEVICE float low(const Pair& pair) { return pair.low; }
  static KERNEL_DEVICE float high(const Pair& pair) { return pair.high; }
  KERNEL_DEVICE float of_row(int row) const { return x_scales[row * x_step]; }
  KERNEL_DEVICE float finish(float sum, float of_column, float of_row) const {
    return sum * (of_column * of_row);
  }
};
static_assert(sizeof(ScaledEpilogue) == 24);

// The scales of a token's 128 of k, and of 128 x 128 of W. Tiles are at most 128 columns wide, and their
// slots 128 deep.
struct BlockEpilogue {
  const float* x_scales = nullptr;  // [group of k][token]
  const float* w_scales = nullptr;  // [block of rows][group of k]
  int m = 0;
  int groups = 0;  // of k

  struct Pair {};
  KERNEL_DEVICE Pair of_pair(int) const { return {}; }
  static KERNEL_DEVICE float low(Pair) { return 0.0F; }
  static KERNEL_DEVICE float high(Pair) { return 0.0F; }
  KERNEL_DEVICE float finish(float sum, float) const { return sum; }

  KERNEL_DEVICE float of_slot_row(int row, int begin) const {
    return x_scales[static_cast<std::int64_t>(begin / 128) * m + row];
  }
  KERNEL_DEVICE float of_slot_column(int column, int begin) const {
    return w_scales[static_cast<std::int64_t>(column / 128) * groups + begin / 128];
  }
};
static_assert(sizeof(BlockEpilogue) == 24);

}  // namespace quant_gemm
