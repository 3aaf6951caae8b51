// The kernels between the products of a layer but attention: norms and GELU, forward and backward.
// Activations are BF16, sums float32. `largest` (null: not wanted) gets the largest magnitude of the result,
// as bits of a float, for a scale of FP8.
#pragma once

#include "kernels/training/eight.cuh"

namespace training {

// float32 to BF16; a grid of any size.
__global__ void __launch_bounds__(threads_a_block)
    cast_kernel(const float* from, std::uint16_t* to, std::int64_t count) {
  for (std::int64_t i = first_of_grid(); i < count; i += step_of_grid())
    store_eight(to + i, load_eight(from + i));
}

// A norm's result in BF16, computed again where it is read.
struct NormedMatrix {
  const std::uint16_t* x = nullptr;
  const float* gains = nullptr;
  const float* roots = nullptr;
  std::int64_t columns = 0;

  static KERNEL_DEVICE Eight scaled(Eight eight, const Eight& gains, float root) {
    KERNEL_UNROLL
    for (int e = 0; e < 8; ++e) eight.values[e] *= root * gains.values[e];
    return eight;
  }
  [[nodiscard]] KERNEL_DEVICE Eight eight(int row, int column) const {
    return as_stored(scaled(load_eight(x + row * columns + column), load_eight(gains + column), roots[row]));
  }
};

inline constexpr int norm_rows = threads_a_block / 32;  // of a block of norm_kernel

// A warp has a row, in registers: each lane up to `Pieces` of eight columns, all on their way before it uses
// one. y null: only the roots and the largest magnitude are wanted.
template <int Pieces>
__global__ void __launch_bounds__(threads_a_block, Pieces > 8 ? 2 : 4)
    norm_kernel(const std::uint16_t* x, const float* gains, std::uint16_t* y, float* roots,
                std::uint32_t* largest, int rows, int d) {
  KERNEL_SHARED(OfWarps, parts);
  const int lane = static_cast<int>(threadIdx.x) % 32, first = lane * 8;
  const int row = static_cast<int>(blockIdx.x) * norm_rows + static_cast<int>(threadIdx.x) / 32;
  const std::int64_t at = static_cast<std::int64_t>(row) * d + first;
  const int columns = row < rows ? d - first : 0;  // from this lane's first one
  uint4 pieces[Pieces] = {};
  KERNEL_UNROLL
  for (int p = 0; p < Pieces; ++p)
    if (p * 256 < columns) pieces[p] = load_piece(x + at + p * 256);
  float squares = 0;
  KERNEL_UNROLL
  for (const uint4& piece : pieces) {
    const Eight eight = eight_of(piece);
    KERNEL_UNROLL
    for (int e = 0; e < 8; ++e) squares += eight.values[e] * eight.values[e];
  }
  const float root = rsqrtf(ptx::warp_sum(squares) / static_cast<float>(d) + 1e-5F);
  if (row < rows && lane == 0) roots[row] = root;
  if (y == nullptr && largest == nullptr) return;
  float mine = 0;
  KERNEL_UNROLL
  for (int p = 0; p < Pieces; ++p) {
    if (p * 256 >= columns) continue;
    const Eight eight = NormedMatrix::scaled(eight_of(pieces[p]), load_eight(gains + first + p * 256), root);
    mine = fmaxf(mine, largest_of(eight));
    if (y != nullptr) store_eight(y + at + p * 256, eight);
  }
  tell_largest_stored(mine, largest, parts);
}

inline constexpr int widest = 2 * step_of_block;  // d that norm_backward_kernel takes

// Eight columns of a row of a norm in the backward pass. The gradient of x is that of its branch added to
// of_x.
struct NormGradient {
  Eight normal = {}, above = {}, sum = {};

  // Adds to the gains' gradient, and returns these columns' part of the product of `normal` and `above`.
  KERNEL_DEVICE float load(const std::uint16_t* x, const std::uint16_t* of_y, const std::uint16_t* of_x,
                           const Eight& gains, float root, Eight& of_gains) {
    normal = load_eight(x);
    above = load_eight(of_y);
    sum = load_eight(of_x);
    float along = 0;
    KERNEL_UNROLL
    for (int e = 0; e < 8; ++e) {
      normal.values[e] *= root;
      of_gains.values[e] += above.values[e] * normal.values[e];
      above.values[e] *= gains.values[e];
      along += above.values[e] * normal.values[e];
    }
    return along;
  }
  // `along`: the mean of that product over the row. Returns the largest magnitude.
  KERNEL_DEVICE float store(std::uint16_t* of_x, float root, float along) {
    KERNEL_UNROLL
    for (int e = 0; e < 8; ++e) sum.values[e] += root * (above.values[e] - normal.values[e] * along);
    store_eight(of_x, sum);
    return largest_of(sum);
  }
};

// Adds the gradient of x to of_x. Each block takes rows in steps of the grid and leaves its part of the
// gains' gradient in its row of `partial`. A thread has `Pieces` of eight columns.
template <int Pieces>
__global__ void __launch_bounds__(threads_a_block)
    norm_backward_kernel(const std::uint16_t* x, const float* roots, const float* gains,
                         const std::uint16_t* of_y, std::uint16_t* of_x, float* partial,
                         std::uint32_t* largest, int rows, int d) {
  KERNEL_SHARED(OfWarps, parts);
  Eight of_gains[Pieces] = {};
  float mine = 0;
  for (int row = static_cast<int>(blockIdx.x); row < rows; row += static_cast<int>(gridDim.x)) {
    const std::int64_t at = static_cast<std::int64_t>(row) * d;
    const float root = roots[row];
    NormGradient pieces[Pieces];
    float along = 0;
    KERNEL_UNROLL
    for (int c = 0; c < Pieces; ++c) {
      const int i = first_of_block() + c * step_of_block;
      if (i < d)
        along += pieces[c].load(x + at + i, of_y + at + i, of_x + at + i, load_eight(gains + i), root,
                                of_gains[c]);
    }
    along = over_block<false>(along, parts) / static_cast<float>(d);
    KERNEL_UNROLL
    for (int c = 0; c < Pieces; ++c) {
      const int i = first_of_block() + c * step_of_block;
      if (i < d) mine = fmaxf(mine, pieces[c].store(of_x + at + i, root, along));
    }
  }
  tell_largest_stored(mine, largest, parts);
  KERNEL_UNROLL
  for (int c = 0; c < Pieces; ++c) {
    const int i = first_of_block() + c * step_of_block;
    if (i < d) store_eight(partial + static_cast<std::int64_t>(blockIdx.x) * d + i, of_gains[c]);
  }
}

// The same for d up to 256: a warp has a row, so that all warps of a block work.
inline constexpr int narrow = 256;
__global__ void __launch_bounds__(threads_a_block)
    narrow_norm_backward_kernel(const std::uint16_t* x, const float* roots, const float* gains,
                                const std::uint16_t* of_y, std::uint16_t* of_x, float* partial,
                                std::uint32_t* largest, int rows, int d) {
  using OfThreads = Eight[threads_a_block];
  KERNEL_SHARED(OfWarps, parts);
  KERNEL_SHARED(OfThreads, of_threads);
  const int thread = static_cast<int>(threadIdx.x), warp = thread / 32, i = thread % 32 * 8;
  const bool has_columns = i < d;
  Eight gain = {}, of_gains = {};
  if (has_columns) gain = load_eight(gains + i);
  float mine = 0;
  for (int row = static_cast<int>(blockIdx.x) * norm_rows + warp; row < rows;
       row += static_cast<int>(gridDim.x) * norm_rows) {
    const std::int64_t at = static_cast<std::int64_t>(row) * d + i;
    const float root = roots[row];
    NormGradient piece;
    float along = 0;
    if (has_columns) along = piece.load(x + at, of_y + at, of_x + at, gain, root, of_gains);
    along = ptx::warp_sum(along) / static_cast<float>(d);
    if (has_columns) mine = fmaxf(mine, piece.store(of_x + at, root, along));
  }
  tell_largest_stored(mine, largest, parts);
  of_threads[thread] = of_gains;
  __syncthreads();
  if (warp > 0 || !has_columns) return;
  KERNEL_UNROLL
  for (int other = 1; other < norm_rows; ++other) {
    const Eight& theirs = of_threads[other * 32 + thread];
    KERNEL_UNROLL
    for (int e = 0; e < 8; ++e) of_gains.values[e] += theirs.values[e];
  }
  store_eight(partial + static_cast<std::int64_t>(blockIdx.x) * d + i, of_gains);
}

inline constexpr int sum_columns = 8;  // of a block of sum_rows_kernel

// The sum of rows. A thread has one column of every 32nd row, sixteen of them on their way. d is a multiple
// of eight.
__global__ void __launch_bounds__(threads_a_block)
    sum_rows_kernel(const float* partial, int rows, int d, float* sums) {
  constexpr int warps = threads_a_block / 32, step = threads_a_block / sum_columns, loads = 16;
  using Parts = float[warps][sum_columns];
  KERNEL_SHARED(Parts, parts);
  const int thread = static_cast<int>(threadIdx.x), in_block = thread % sum_columns;
  const float* const column = partial + static_cast<int>(blockIdx.x) * sum_columns + in_block;
  float sum = 0;
  for (int first = thread / sum_columns; first < rows; first += loads * step) {
    float values[loads] = {};
    KERNEL_UNROLL
    for (int i = 0; i < loads; ++i) {
      const int row = first + i * step;
      if (row < rows) values[i] = column[static_cast<std::int64_t>(row) * d];
    }
    KERNEL_UNROLL
    for (const float value : values) sum += value;
  }
  KERNEL_UNROLL
  for (int bits = 16; bits >= sum_columns; bits /= 2) sum += __shfl_xor_sync(0xFFFFFFFFU, sum, bits);
  if (thread % 32 < sum_columns) parts[thread / 32][in_block] = sum;
  __syncthreads();
  if (thread >= sum_columns) return;
  KERNEL_UNROLL
  for (int warp = 1; warp < warps; ++warp) sum += parts[warp][in_block];
  sums[static_cast<int>(blockIdx.x) * sum_columns + in_block] = sum;
}

// Rows of `parts` x heads x size to parts x batch x heads x sequence x size.
__global__ void __launch_bounds__(threads_a_block)
    heads_kernel(const std::uint16_t* from, std::uint16_t* to, std::int64_t tokens, int parts, int heads,
                 int sequence, int size) {
  const int d = heads * size;
  const std::int64_t count = tokens * parts * d;
  for (std::int64_t i = first_of_grid(); i < count; i += step_of_grid()) {
    const std::int64_t token = i / (parts * d);
    const int column = static_cast<int>(i % (parts * d));
    const int head = column % d / size;
    const std::int64_t row = (token / sequence * heads + head) * sequence + token % sequence;
    *reinterpret_cast<uint4*>(to + column / d * tokens * d + row * size + column % size) =
        *reinterpret_cast<const uint4*>(from + i);
  }
}

// GELU by its tangent: x (1 + tanh z) / 2 is x times the logistic function of 2 z.
struct Gelu {
  float part;   // (1 + tanh z) / 2
  float slope;  // of 2 z

  explicit KERNEL_DEVICE Gelu(float x) {
    constexpr float twice = 2 * 0.7978845608F;
    const float square = x * x;
    slope = twice * (1.0F + 0.134145F * square);
    part = ptx::reciprocal_approximate(
        1.0F + ptx::exp2_approximate(-1.4426950409F * twice * x * (1.0F + 0.044715F * square)));
  }
};

// The result of GELU in BF16, computed again where it is read.
struct GeluMatrix {
  const std::uint16_t* f = nullptr;
  std::int64_t columns = 0;

  static KERNEL_DEVICE Eight of(const uint4& f) {
    Eight eight = eight_of(f);
    KERNEL_UNROLL
    for (int e = 0; e < 8; ++e) eight.values[e] *= Gelu(eight.values[e]).part;
    return eight;
  }
  [[nodiscard]] KERNEL_DEVICE Eight eight(int row, int column) const {
    return as_stored(of(load_piece(f + row * columns + column)));
  }
};

__global__ void __launch_bounds__(threads_a_block)
    gelu_kernel(const std::uint16_t* f, std::uint16_t* u, std::int64_t count) {
  for (std::int64_t i = first_of_grid(); i < count; i += step_of_grid())
    store_eight(u + i, GeluMatrix::of(load_piece(f + i)));
}

// The largest magnitude of the result alone. GELU is never below -0.18, and rises wherever it is above 0. So
// once a warp has an argument above `enough`, its largest result is that of its largest argument.
__global__ void __launch_bounds__(threads_a_block, 8)
    gelu_largest_kernel(const std::uint16_t* f, std::uint32_t* largest, std::int64_t count) {
  KERNEL_SHARED(OfWarps, parts);
  constexpr float enough = 0.32F;  // its GELU is 0.2
  constexpr int loads = 2;
  const std::int64_t step = step_of_grid(), in_block = first_of_block();
  float top = 0, mine = 0;
  for (std::int64_t of_block = first_of_grid() - in_block; of_block < count; of_block += loads * step) {
    uint4 pieces[loads] = {};
    KERNEL_UNROLL
    for (int p = 0; p < loads; ++p) {
      const std::int64_t i = of_block + in_block + p * step;
      if (i < count) pieces[p] = load_piece(f + i);
    }
    KERNEL_UNROLL
    for (const uint4& piece : pieces) {
      const Eight eight = eight_of(piece);
      KERNEL_UNROLL
      for (int e = 0; e < 8; ++e) top = fmaxf(top, eight.values[e]);
    }
    if (__ballot_sync(0xFFFFFFFFU, top > enough ? 1 : 0) != 0) continue;
    KERNEL_UNROLL
    for (const uint4& piece : pieces) mine = fmaxf(mine, largest_of(GeluMatrix::of(piece)));
  }
  tell_largest_stored(fmaxf(mine, top * Gelu(top).part), largest, parts);
}

// slopes: of u, then of f.
__global__ void __launch_bounds__(threads_a_block)
    gelu_backward_kernel(const std::uint16_t* f, std::uint16_t* slopes, std::uint32_t* largest,
                         std::int64_t count) {
  KERNEL_SHARED(OfWarps, parts);
  float mine = 0;
  for (std::int64_t i = first_of_grid(); i < count; i += step_of_grid()) {
    const Eight at = load_eight(f + i);
    Eight slope = load_eight(slopes + i);
    KERNEL_UNROLL
    for (int e = 0; e < 8; ++e) {
      const float x = at.values[e];
      const Gelu gelu(x);
      slope.values[e] *= gelu.part + x * gelu.part * (1.0F - gelu.part) * gelu.slope;
    }
    mine = fmaxf(mine, largest_of(slope));
    store_eight(slopes + i, slope);
  }
  tell_largest_stored(mine, largest, parts);
}

}  // namespace training
