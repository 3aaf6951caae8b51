// Attention without scores in memory, forward and backward (Dao, "FlashAttention-2", 2023). The forward pass
// keeps log2 of each query's sum of exponentials, and the backward pass computes weights again from it. That
// has two kernels, of blocks of keys and of blocks of queries. So there are seven products instead of five,
// but all sums are taken in a fixed order, without atomics. BF16, sums in float32; causal.
#pragma once

#include "kernels/training/eight.cuh"
#include "kernels/training/flash_block.cuh"

namespace training {

KERNEL_DEVICE float minus_infinity() {
  return __uint_as_float(0xFF800000U);
}

// Shared by the passes: a warpgroup with its 64 rows of the block. A thread's element i is in row
// i / 2 % 2 * 8 + lane / 4 of its warp's 16. Its column is i / 4 * 8 + lane % 4 * 2 + i % 2.
template <class Tiling, class Ring, class Products>
class FlashGroup {
 protected:
  static constexpr int columns = Tiling::columns;
  static constexpr bool over_keys = Tiling::over_keys;
  using Scores = float[columns / 2];
  using Weights = std::uint32_t[columns / 16][4];
  using Sums = float[Tiling::size / 2];

  KERNEL_DEVICE FlashGroup(const FlashTensors& on, const FlashBlock<Tiling>& block, const Ring& ring,
                           int group)
      : on_(on),
        block_(block),
        ring_(ring),
        group_(group),
        first_row_(block.row + group * 64),
        row_(first_row_ + warp_of_group() * 16 + flash_lane() / 4) {
    // Tiles with a pair that is seen.
    const int before = (first_row_ - block.first) / columns;
    const int until = (first_row_ + 64 - block.first + columns - 1) / columns;
    begin_ = over_keys ? 0 : before < block.tiles ? before : block.tiles;
    end_ = over_keys && until < block.tiles ? until : block.tiles;
  }

  // Lets tiles pass that the others need.
  KERNEL_DEVICE void pass_by(int begin, int end) const {
    for (int step = begin; step < end; ++step) {
      ring_.wait(step);
      ring_.release(step);
    }
  }

  [[nodiscard]] KERNEL_DEVICE std::uint32_t kept(int part) const {
    return block_.kept(part) + group_ * 64 * 128;
  }
  [[nodiscard]] static KERNEL_DEVICE int column_of(int i) { return i / 4 * 8 + flash_lane() % 4 * 2 + i % 2; }

  [[nodiscard]] KERNEL_DEVICE bool sees(int query, int key, bool masked) const {
    if (key > query) return false;
    return !masked || (query < on_.sequence && on_.mask.row(block_.matrix, query)[key / on_.mask.block] != 0);
  }
  // Minus infinity for pairs that are not seen.
  KERNEL_DEVICE void hide(Scores& scores, int step) const {
    const int tile = block_.tile_row(step);
    const bool masked = !Tiling::hopper && on_.mask.seen != nullptr;
    const bool diagonal = over_keys ? tile + columns > first_row_ + 1 : tile < first_row_ + 63;
    if (!masked && !diagonal) return;
    KERNEL_UNROLL
    for (int i = 0; i < columns / 2; ++i) {
      const int row = row_ + i / 2 % 2 * 8, column = tile + column_of(i);
      if (!sees(over_keys ? row : column, over_keys ? column : row, masked)) scores[i] = minus_infinity();
    }
  }

  // Results as operands: two tiles of eight columns side by side are a fragment.
  static KERNEL_DEVICE void pack(const Scores& scores, Weights& weights) {
    KERNEL_UNROLL
    for (int depth = 0; depth < columns / 16; ++depth) KERNEL_UNROLL
    for (int i = 0; i < 4; ++i)
      weights[depth][i] = ptx::BF16::narrow(scores[depth * 8 + i * 2], scores[depth * 8 + i * 2 + 1]);
  }

  [[nodiscard]] KERNEL_DEVICE float* sums_of_row(int which) const {
    return on_.rows + (2 * static_cast<std::int64_t>(block_.matrix) + which) * on_.sequence;
  }

  // Rows of `part` in the tensor that is written.
  KERNEL_DEVICE void store(const Sums& sums, const float (&factors)[2], FlashPart part) {
    const FlashRows rows = rows_in_qkv(on_, block_.matrix, part);
    KERNEL_UNROLL
    for (int half = 0; half < 2; ++half) {
      const int row = row_ + half * 8;
      if (row >= on_.sequence) continue;
      std::uint16_t* const to =
          on_.to + rows.start + static_cast<std::int64_t>(row) * rows.stride + flash_lane() % 4 * 2;
      KERNEL_UNROLL
      for (int tile = 0; tile < Tiling::size / 8; ++tile) {
        if (tile * 8 >= on_.size) continue;
        const std::uint32_t pair = ptx::BF16::narrow(sums[tile * 4 + half * 2] * factors[half],
                                                     sums[tile * 4 + half * 2 + 1] * factors[half]);
        *reinterpret_cast<std::uint32_t*>(to + tile * 8) = pair;
        largest_ = max(largest_, max(pair << 16 & 0x7FFFFFFFU, pair & 0x7FFF0000U));
      }
    }
  }
  KERNEL_DEVICE void raise_largest() const {
    if (on_.largest == nullptr) return;
    const float largest = ptx::warp_max(__uint_as_float(largest_));
    if (flash_lane() == 0) raise_to(__float_as_uint(largest), on_.largest);
  }

  const FlashTensors& on_;
  const FlashBlock<Tiling>& block_;
  const Ring& ring_;
  int group_;
  int first_row_;  // the warpgroup's
  int row_;        // this thread's first; the other is 8 below
  int begin_ = 0, end_ = 0;
  std::uint32_t largest_ = 0;
};

template <class Tiling, class Ring, class Products>
class FlashForward : FlashGroup<Tiling, Ring, Products> {
  using Base = FlashGroup<Tiling, Ring, Products>;

 public:
  KERNEL_DEVICE FlashForward(const FlashTensors& on, const FlashBlock<Tiling>& block, const Ring& ring,
                             int group)
      : Base(on, block, ring, group) {}

  KERNEL_DEVICE void run() {
    this->ring_.wait_for_kept();
    for (int step = 0; step < this->end_; ++step) pass(step);
    Products::template wait<0>();
    pin_sums();
    this->ring_.release(this->end_ - 1);
    this->pass_by(this->end_, this->block_.tiles);
    finish();
  }

 private:
  // One tile. The sums of the tile before still run when it begins.
  KERNEL_DEVICE void pass(int step) {
    typename Base::Scores scores;
    this->ring_.wait(step);
    Products::start_scores(scores, this->kept(0), this->block_.tile(step, 0));
    Products::template wait<0>();
    Products::pin(scores);
    pin_sums();
    if (step > 0) this->ring_.release(step - 1);
    this->hide(scores, step);
    weigh(scores);
    this->pack(scores, weights_);
    Products::start_sums(sums_, weights_, this->block_.tile(step, 1));
  }
  KERNEL_DEVICE void pin_sums() {
    Products::pin(sums_);
    Products::pin(weights_);
  }
  // Scores become weights; sums_ are brought to the new largest scores.
  KERNEL_DEVICE void weigh(typename Base::Scores& scores) {
    KERNEL_UNROLL
    for (int half = 0; half < 2; ++half) {
      float top = tops_[half];
      KERNEL_UNROLL
      for (int i = half * 2; i < Base::columns / 2; i += 4) top = fmaxf(top, fmaxf(scores[i], scores[i + 1]));
      top = fmaxf(top, __shfl_xor_sync(0xFFFFFFFFU, top, 1));  // the row is in four lanes
      top = fmaxf(top, __shfl_xor_sync(0xFFFFFFFFU, top, 2));
      // A row that has seen no key yet has weights 0, not those of infinity minus infinity.
      const float base = top == minus_infinity() ? 0.0F : top * this->on_.scale2;
      const float factor = ptx::exp2_approximate(tops_[half] * this->on_.scale2 - base);
      tops_[half] = top;
      float total = totals_[half] * factor;
      KERNEL_UNROLL
      for (int i = half * 2; i < Base::columns / 2; i += 4) KERNEL_UNROLL
      for (int pair = 0; pair < 2; ++pair) {
        scores[i + pair] = ptx::exp2_approximate(scores[i + pair] * this->on_.scale2 - base);
        total += scores[i + pair];
      }
      totals_[half] = total;
      KERNEL_UNROLL
      for (int i = half * 2; i < Tiling::size / 2; i += 4) KERNEL_UNROLL
      for (int pair = 0; pair < 2; ++pair) sums_[i + pair] *= factor;
    }
  }

  KERNEL_DEVICE void finish() {
    float factors[2];
    KERNEL_UNROLL
    for (int half = 0; half < 2; ++half) {
      float total = totals_[half];
      total += __shfl_xor_sync(0xFFFFFFFFU, total, 1);
      total += __shfl_xor_sync(0xFFFFFFFFU, total, 2);
      factors[half] = 1.0F / total;
      const int row = this->row_ + half * 8;
      if (row < this->on_.sequence && flash_lane() % 4 == 0)
        this->sums_of_row(0)[row] = tops_[half] * this->on_.scale2 + log2f(total);
    }
    this->store(sums_, factors, FlashPart::of_out);
    this->raise_largest();
  }

  typename Base::Weights weights_ = {};
  typename Base::Sums sums_ = {};
  float tops_[2] = {minus_infinity(), minus_infinity()};  // unscaled
  float totals_[2] = {};                                  // of this lane's keys
};

// Weights W = exp2(scale2 Q K^T - log2 of the sums), their slopes W (dO V^T - delta), and the gradients: of
// queries slopes K, of keys slopes^T Q, of values W^T dO. A block of keys has rows of the transposed
// matrices.
template <class Tiling, class Ring, class Products>
class FlashBackward : FlashGroup<Tiling, Ring, Products> {
  using Base = FlashGroup<Tiling, Ring, Products>;
  static constexpr bool of_keys = Tiling::pass == FlashPass::of_keys;

 public:
  KERNEL_DEVICE FlashBackward(const FlashTensors& on, const FlashBlock<Tiling>& block, const Ring& ring,
                              int group)
      : Base(on, block, ring, group) {}

  KERNEL_DEVICE void run() {
    if constexpr (!of_keys) load_sums_of_rows();
    this->ring_.wait_for_kept();
    this->pass_by(0, this->begin_);
    for (int step = this->begin_; step < this->end_; ++step) pass(step);
    Products::template wait<0>();
    pin_sums();
    if (this->begin_ < this->end_) this->ring_.release(this->end_ - 1);
    this->pass_by(this->end_, this->block_.tiles);
    const float scales[2] = {this->on_.scale, this->on_.scale}, ones[2] = {1, 1};
    this->store(sums_, scales, of_keys ? FlashPart::keys : FlashPart::queries);
    if constexpr (of_keys) this->store(of_values_, ones, FlashPart::values);
    this->raise_largest();
  }

 private:
  // One tile. The last sums of the tile before still run when it begins. Scores and slopes live in it alone,
  // so that registers suffice.
  KERNEL_DEVICE void pass(int step) {
    typename Base::Scores scores, slopes;
    this->ring_.wait(step);
    Products::start_scores(scores, this->kept(0), this->block_.tile(step, 0));
    Products::template wait<1>();
    pin_sums();
    if (step > this->begin_) this->ring_.release(step - 1);
    Products::start_scores(slopes, this->kept(1), this->block_.tile(step, 1));
    Products::template wait<1>();
    Products::pin(scores);
    this->hide(scores, step);
    weigh(scores, step);
    if constexpr (of_keys) {
      this->pack(scores, weights_);
      Products::start_sums(of_values_, weights_, this->block_.tile(step, 1));
      Products::template wait<1>();
    } else {
      Products::template wait<0>();
    }
    Products::pin(slopes);
    slope(scores, slopes, step);
    this->pack(slopes, packed_slopes_);
    Products::start_sums(sums_, packed_slopes_, this->block_.tile(step, 0));
  }
  KERNEL_DEVICE void pin_sums() {
    Products::pin(sums_);
    Products::pin(packed_slopes_);
    if constexpr (of_keys) {
      Products::pin(of_values_);
      Products::pin(weights_);
    }
  }
  KERNEL_DEVICE void load_sums_of_rows() {
    KERNEL_UNROLL
    for (int half = 0; half < 2; ++half) {
      const int row = this->row_ + half * 8;
      if (row >= this->on_.sequence) continue;
      logs_[half] = this->sums_of_row(0)[row];
      deltas_[half] = this->sums_of_row(1)[row];
    }
  }
  // The values of the queries of elements i and i + 1. `of_row` tells them where queries are rows.
  [[nodiscard]] KERNEL_DEVICE float2 of_queries(const float* of_column, const float (&of_row)[2],
                                                int i) const {
    if constexpr (of_keys) return *reinterpret_cast<const float2*>(of_column + Base::column_of(i));
    return make_float2(of_row[i / 2 % 2], of_row[i / 2 % 2]);
  }
  KERNEL_DEVICE void weigh(typename Base::Scores& scores, int step) const {
    KERNEL_UNROLL
    for (int i = 0; i < Base::columns / 2; i += 2) {
      const float2 logs = of_queries(this->block_.sums(step), logs_, i);
      scores[i] = ptx::exp2_approximate(scores[i] * this->on_.scale2 - logs.x);
      scores[i + 1] = ptx::exp2_approximate(scores[i + 1] * this->on_.scale2 - logs.y);
    }
  }
  KERNEL_DEVICE void slope(const typename Base::Scores& scores, typename Base::Scores& slopes,
                           int step) const {
    KERNEL_UNROLL
    for (int i = 0; i < Base::columns / 2; i += 2) {
      const float2 deltas = of_queries(this->block_.sums(step) + Base::columns, deltas_, i);
      slopes[i] = scores[i] * (slopes[i] - deltas.x);
      slopes[i + 1] = scores[i + 1] * (slopes[i + 1] - deltas.y);
    }
  }

  typename Base::Weights weights_ = {}, packed_slopes_ = {};
  typename Base::Sums sums_ = {}, of_values_ = {};
  float logs_[2] = {}, deltas_[2] = {};
};

template <class Tiling, class Ring, class Products>
KERNEL_DEVICE void run_flash_group(const FlashTensors& on, const FlashBlock<Tiling>& block, const Ring& ring,
                                   int group) {
  if constexpr (Tiling::pass == FlashPass::forward)
    FlashForward<Tiling, Ring, Products>(on, block, ring, group).run();
  else
    FlashBackward<Tiling, Ring, Products>(on, block, ring, group).run();
}

// Grid: rows / Tiling::rows, batch x heads.
template <class Tiling>
__global__ void __launch_bounds__(Tiling::threads, 1)
    flash_on_hopper_kernel(const __grid_constant__ FlashTensors on, const __grid_constant__ FlashMaps maps) {
  if constexpr (KERNEL_HAS_WGMMA) {
    KERNEL_DYNAMIC_SHARED(memory, 1024);
    const FlashBlock<Tiling> block(on, memory);
    const CopyEngineRing<Tiling> ring(on, block);
    ring.begin();
    // One value a warp, as the compiler must know: products in paths that lanes may take apart are
    // serialised.
    const int group = __shfl_sync(0xFFFFFFFFU, static_cast<int>(threadIdx.x) / 128, 0);
    if (group == 0) {
      ptx::give_registers<Tiling::copier_registers>();
      if (threadIdx.x == 0) ring.fill(maps);
    } else {
      ptx::take_registers<Tiling::worker_registers>();
      run_flash_group<Tiling, CopyEngineRing<Tiling>, WgmmaProducts<Tiling>>(on, block, ring, group - 1);
    }
  }
}

template <class Tiling>
__global__ void __launch_bounds__(Tiling::threads) flash_kernel(const __grid_constant__ FlashTensors on) {
  KERNEL_DYNAMIC_SHARED(memory, 1024);
  const FlashBlock<Tiling> block(on, memory);
  const CopyingRing<Tiling> ring(on, block);
  ring.begin();
  run_flash_group<Tiling, CopyingRing<Tiling>, MmaProducts<Tiling>>(on, block, ring,
                                                                    static_cast<int>(threadIdx.x) / 128);
}

// The sum of a row of `out` times its gradient, a head's columns: 16 lanes have a query. Grid: 16 a block.
__global__ void __launch_bounds__(threads_a_block)
    flash_delta_kernel(const __grid_constant__ FlashTensors on, const std::uint16_t* out) {
  const std::int64_t at = static_cast<std::int64_t>(blockIdx.x) * (threads_a_block / 16) + threadIdx.x / 16;
  const std::int64_t token = at / on.heads;
  const int head = static_cast<int>(at % on.heads), column = static_cast<int>(threadIdx.x) % 16 * 8;
  float sum = 0;
  if (column < on.size) {
    const std::int64_t place = at * on.size + column;
    const Eight value = load_eight(out + place), slope = load_eight(on.of_out + place);
    KERNEL_UNROLL
    for (int e = 0; e < 8; ++e) sum += value.values[e] * slope.values[e];
  }
  KERNEL_UNROLL
  for (int bits = 8; bits > 0; bits /= 2) sum += __shfl_xor_sync(0xFFFFFFFFU, sum, bits);
  if (threadIdx.x % 16 == 0)
    on.rows[((token / on.sequence * on.heads + head) * 2 + 1) * on.sequence + token % on.sequence] = sum;
}

// The tilings in use: the fastest of those measured on an H200.
inline constexpr int widest_head = 128;
template <FlashPass pass, int Size>
using FlashOnHopper =
    FlashTiling<pass, true, Size, pass == FlashPass::forward && Size == 64 ? 3 : 2,
                pass == FlashPass::of_keys || (pass == FlashPass::forward && Size == 128) ? 64 : 128,
                pass == FlashPass::forward && Size == 128 ? 4 : 2>;
template <FlashPass pass, int Size>
using FlashAnywhere = FlashTiling<pass, false, Size, 1, 64, 2>;

}  // namespace training
