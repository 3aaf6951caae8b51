// short_product_kernel: a product of the block with what surrounds it, for few tokens, where latency is all
// that counts: Y = after(norm(X) W + bias). A block has 32 x 32 elements of Y and all of k at once in shared
// memory. Eight warps share it: two take 16 rows each, four a quarter of k each, and their sums meet at the
// end. Weights are on their way before the launch before this one has ended. Kernel code.
#pragma once

#include <type_traits>

#include "kernels/block/heads.cuh"
#include "kernels/linear_gelu/gelu_epilogue.cuh"
#include "kernels/operators/row_operations.h"
#include "kernels/ptx/dependent.cuh"
#include "kernels/ptx/warp.cuh"

namespace transformer_block {

inline constexpr int short_rows = 32;
inline constexpr int short_columns = 32;
inline constexpr int short_threads = 256;

// The operations after a product.
enum class After {
  split,  // stored as (3, b, h, s, head)
  gelu,
  add,   // plus `added`, of the shape of Y
  relu,  // and there is no bias
};

struct ShortArguments {
  const std::uint16_t* x = nullptr;             // (rows, k)
  const std::uint16_t* norm_weights = nullptr;  // k of them, or null
  const std::uint16_t* norm_bias = nullptr;
  const std::uint16_t* w = nullptr;  // (k, n)
  const std::uint16_t* bias = nullptr;
  const std::uint16_t* added = nullptr;
  std::uint16_t* y = nullptr;
  int rows = 0;
  int n = 0;  // a multiple of 32
  int k = 0;  // a multiple of 64
  int unused = 0;
  HeadSplit split;
};
static_assert(std::has_unique_object_representations_v<ShortArguments>);

// Bytes of shared memory: X, W and the norm's two vectors; sums meet where X and W were.
constexpr KERNEL_OR_HOST int short_shared_bytes(int k) {
  constexpr int sums = 4 * short_rows * (short_columns + 4) * 4;
  const int tiles = (short_rows + short_columns) * k * 2;
  return (tiles > sums ? tiles : sums) + 2 * k * 2;
}

template <bool normed, After after>
class ShortProduct {
 public:
  KERNEL_DEVICE ShortProduct(const ShortArguments& of, unsigned char* memory)
      : of_(of),
        x_(memory),
        w_(memory + short_rows * of.k * 2),
        norm_(memory + short_shared_bytes(of.k) - 2 * of.k * 2),
        thread_(static_cast<int>(threadIdx.x)),
        lane_(thread_ % 32),
        warp_(thread_ / 32),
        pieces_(of.k / 8),
        column_(static_cast<int>(blockIdx.x) * short_columns),
        row_(static_cast<int>(blockIdx.y) * short_rows) {}

  KERNEL_DEVICE void run() {
    ptx::let_next_launch_begin();
    copy_weights();
    ptx::wait_for_launch_before();
    copy_rows();
    const Own own = load_own();
    ptx::cp_async_wait<0>();
    __syncthreads();
    if constexpr (normed) {
      normalise();
      __syncthreads();
    }
    float sums[4][4] = {};
    multiply(sums);
    __syncthreads();  // nobody reads X and W any more
    share(sums);
    __syncthreads();
    finish(own);
  }

 private:
  static constexpr int stride = short_columns + 4;  // of a row of sums, in floats
  static constexpr int own_rows =
      short_rows / (short_threads / 32);  // of X, that a warp copies and normalises

  // Four elements of the result that a thread finishes, and what is added to them.
  struct Own {
    int row;
    int column;
    uint2 bias;
    uint2 added;
  };

  // Where 16-byte piece `piece` of a row of X lies. Rows of W have four pieces.
  KERNEL_DEVICE unsigned char* x_piece(int row, int piece) const {
    return x_ + (row * pieces_ + (piece ^ (row & 7))) * 16;
  }
  // A piece of row `row` of those that the warp copies.
  KERNEL_DEVICE gemm::Piece* own_piece(int row, int piece) const {
    return reinterpret_cast<gemm::Piece*>(x_piece(warp_ * own_rows + row, piece));
  }
  KERNEL_DEVICE unsigned char* w_piece(int row, int piece) const {
    return w_ + gemm::piece_offset<4>(row, piece);
  }

  KERNEL_DEVICE void copy_weights() const {
    for (int at = thread_; at < of_.k * 4; at += short_threads)
      ptx::cp_async_16(ptx::shared_address(w_piece(at / 4, at % 4)),
                       of_.w + static_cast<std::int64_t>(at / 4) * of_.n + column_ + at % 4 * 8);
    if constexpr (normed)
      for (int at = thread_; at < 2 * pieces_; at += short_threads)
        ptx::cp_async_16(ptx::shared_address(norm_ + at * 16),
                         at < pieces_ ? of_.norm_weights + at * 8 : of_.norm_bias + (at - pieces_) * 8);
    ptx::cp_async_commit();
  }

  // Zeros past the last row.
  KERNEL_DEVICE void copy_rows() const {
    KERNEL_UNROLL
    for (int r = 0; r < own_rows; ++r) {
      const int row = row_ + warp_ * own_rows + r;
      const bool inside = row < of_.rows;
      const std::uint16_t* const from = of_.x + static_cast<std::int64_t>(inside ? row : 0) * of_.k;
      for (int p = lane_; p < pieces_; p += 32)
        ptx::cp_async_16(ptx::shared_address(own_piece(r, p)), from + p * 8, inside ? 16 : 0);
    }
    ptx::cp_async_commit();
  }

  KERNEL_DEVICE Own load_own() const {
    Own own = {thread_ / 8, thread_ % 8 * 4, {}, {}};
    if constexpr (after != After::relu)
      own.bias = *reinterpret_cast<const uint2*>(of_.bias + column_ + own.column);
    if constexpr (after == After::add)
      if (row_ + own.row < of_.rows)
        own.added = *reinterpret_cast<const uint2*>(
            of_.added + static_cast<std::int64_t>(row_ + own.row) * of_.n + column_ + own.column);
    return own;
  }

  static KERNEL_DEVICE float low(std::uint32_t pair) {
    return ptx::F16::widen(static_cast<std::uint16_t>(pair));
  }
  static KERNEL_DEVICE float high(std::uint32_t pair) {
    return ptx::F16::widen(static_cast<std::uint16_t>(pair >> 16));
  }

  // By a warp: LayerNorm of four rows of X in place, side by side; variances around the means.
  KERNEL_DEVICE void normalise() const {
    const auto columns = static_cast<float>(of_.k);
    float means[own_rows] = {}, factors[own_rows] = {};
    for (int p = lane_; p < pieces_; p += 32) KERNEL_UNROLL
    for (int r = 0; r < own_rows; ++r) {
      const gemm::Piece piece = *own_piece(r, p);
      KERNEL_UNROLL
      for (int i = 0; i < 4; ++i) means[r] += low(piece.words[i]) + high(piece.words[i]);
    }
    KERNEL_UNROLL
    for (int r = 0; r < own_rows; ++r) means[r] = ptx::warp_sum(means[r]) / columns;
    for (int p = lane_; p < pieces_; p += 32) KERNEL_UNROLL
    for (int r = 0; r < own_rows; ++r) {
      const gemm::Piece piece = *own_piece(r, p);
      KERNEL_UNROLL
      for (int i = 0; i < 4; ++i) {
        const float a = low(piece.words[i]) - means[r], b = high(piece.words[i]) - means[r];
        factors[r] += a * a + b * b;
      }
    }
    KERNEL_UNROLL
    for (int r = 0; r < own_rows; ++r)
      factors[r] = operators::inverse_root(ptx::warp_sum(factors[r]) / columns + operators::epsilon);
    for (int p = lane_; p < pieces_; p += 32) {
      const gemm::Piece weights = *reinterpret_cast<const gemm::Piece*>(norm_ + p * 16);
      const gemm::Piece biases = *reinterpret_cast<const gemm::Piece*>(norm_ + (pieces_ + p) * 16);
      KERNEL_UNROLL
      for (int r = 0; r < own_rows; ++r) {
        gemm::Piece piece = *own_piece(r, p);
        KERNEL_UNROLL
        for (int i = 0; i < 4; ++i)
          piece.words[i] = ptx::F16::narrow(
              (low(piece.words[i]) - means[r]) * factors[r] * low(weights.words[i]) + low(biases.words[i]),
              (high(piece.words[i]) - means[r]) * factors[r] * high(weights.words[i]) +
                  high(biases.words[i]));
        *own_piece(r, p) = piece;
      }
    }
  }

  // This warp's 16 x 32 sums over its quarter of k.
  KERNEL_DEVICE void multiply(float (&sums)[4][4]) const {
    const int first_row = warp_ % 2 * 16, steps = of_.k / 64, first = warp_ / 2 * steps;
    KERNEL_UNROLL
    for (int step = first; step < first + steps; ++step) {
      std::uint32_t x[4], w[2][4];
      ptx::ldmatrix_x4(x, ptx::shared_address(x_piece(first_row + lane_ % 16, step * 2 + lane_ / 16)));
      KERNEL_UNROLL
      for (int half = 0; half < 2; ++half)
        ptx::ldmatrix_x4_transposed(
            w[half], ptx::shared_address(w_piece(step * 16 + lane_ % 16, half * 2 + lane_ / 16)));
      KERNEL_UNROLL
      for (int tile = 0; tile < 4; ++tile) {
        const std::uint32_t pair[2] = {w[tile / 2][tile % 2 * 2], w[tile / 2][tile % 2 * 2 + 1]};
        ptx::mma_m16n8k16(ptx::F16{}, sums[tile], x, pair);
      }
    }
  }

  KERNEL_DEVICE float* shared_sum(int quarter, int row, int column) const {
    return reinterpret_cast<float*>(x_) + (quarter * short_rows + row) * stride + column;
  }

  KERNEL_DEVICE void share(const float (&sums)[4][4]) const {
    KERNEL_UNROLL
    for (int tile = 0; tile < 4; ++tile) KERNEL_UNROLL
    for (int half = 0; half < 2; ++half)
      *reinterpret_cast<float2*>(
          shared_sum(warp_ / 2, warp_ % 2 * 16 + half * 8 + lane_ / 4, tile * 8 + lane_ % 4 * 2)) =
          make_float2(sums[tile][half * 2], sums[tile][half * 2 + 1]);
  }

  KERNEL_DEVICE void finish(const Own& own) const {
    const int row = row_ + own.row, column = column_ + own.column;
    if (row >= of_.rows) return;
    float values[4] = {low(own.bias.x), high(own.bias.x), low(own.bias.y), high(own.bias.y)};
    KERNEL_UNROLL
    for (int quarter = 0; quarter < 4; ++quarter) {
      const float4 part = *reinterpret_cast<const float4*>(shared_sum(quarter, own.row, own.column));
      values[0] += part.x;
      values[1] += part.y;
      values[2] += part.z;
      values[3] += part.w;
    }
    if constexpr (after == After::gelu) {
      KERNEL_UNROLL
      for (int i = 0; i < 4; ++i) values[i] = linear_gelu::gelu_of<linear_gelu::Gelu::tanh_form>(values[i]);
    }
    if constexpr (after == After::relu) {
      KERNEL_UNROLL
      for (int i = 0; i < 4; ++i) values[i] = fmaxf(values[i], 0.0F);
    }
    if constexpr (after == After::add) {
      values[0] += low(own.added.x);
      values[1] += high(own.added.x);
      values[2] += low(own.added.y);
      values[3] += high(own.added.y);
    }
    std::int64_t at = static_cast<std::int64_t>(row) * of_.n + column;
    if constexpr (after == After::split) at = of_.split.place(row, column);
    *reinterpret_cast<uint2*>(of_.y + at) =
        make_uint2(ptx::F16::narrow(values[0], values[1]), ptx::F16::narrow(values[2], values[3]));
  }

  const ShortArguments& of_;
  unsigned char* x_;
  unsigned char* w_;
  unsigned char* norm_;
  int thread_;
  int lane_;
  int warp_;
  int pieces_;  // of a row of X
  int column_;  // the block's first
  int row_;     // likewise
};

// Grid: columns / 32, rows / 32.
template <bool normed, After after>
__global__ void __launch_bounds__(short_threads)
    short_product_kernel(const __grid_constant__ ShortArguments of) {
  KERNEL_DYNAMIC_SHARED(memory, 128);
  ShortProduct<normed, after>(of, memory).run();
}

}  // namespace transformer_block
