// The product of skinny_kernel.cuh for up to 8 tokens. The 8 columns of mma are the tokens times neighbouring
// stretches of k, and so are its rows: rows of W times stretches. Sums of a row and a column of one stretch
// are wanted. So a warp reads long pieces of rows of W, 512 bytes for one token. It stays with its part of k,
// whose X it keeps in registers, and takes row after row. Depth steps of W are on their way at any time. A
// block takes neighbouring rows, as many as the others but for the last, and adds its warps' sums at the end.
#pragma once

#include <cstddef>
#include <type_traits>

#include "kernels/quant_gemm/skinny_kernel.cuh"

namespace quant_gemm {

// Threads of a block are 32 x warps along k x groups of rows.
template <class Codes, int Tokens, int Depth>
class FewTokens {
 public:
  static constexpr int stretches = 8 / Tokens;
  static constexpr int unit = 4 * Codes::of_piece;  // of k, of four threads
  static constexpr int span = stretches * unit;     // of k, in a step of a warp
  static constexpr int step_rows = 2 * Tokens;

  // Floats between the sums of two rows: 8 of each warp along k, and as many that move them to other banks.
  static KERNEL_OR_HOST int stride(int warps_along_k) { return 8 * warps_along_k + 8; }
  static std::size_t shared_bytes(int rows, int warps_along_k) {
    return static_cast<std::size_t>((rows + step_rows) * stride(warps_along_k) + rows) * 4;
  }

  static KERNEL_DEVICE void run(const SkinnyProblem& problem, float* sums) {
    FewTokens of(problem, sums);
    const float scale = of.scale_of_row();
    of.multiply_steps();
    of.write(scale);
  }

 private:
  static constexpr int steps = Codes::of_piece / 8;  // of 8 codes, in a piece

  // A thread's pieces of a step: of two rows, `Tokens` apart.
  struct Step {
    uint4 pieces[2];
    float scales[2];
  };
  // The next loads of a warp: the step's first row in the block, and this thread's k and addresses, also
  // those of the first step of that part of k.
  struct Place {
    int row;
    int k;
    const unsigned char* w;
    const float* scales;
    const unsigned char* w_of_part;
    const float* scales_of_part;
  };

  KERNEL_DEVICE FewTokens(const SkinnyProblem& problem, float* sums)
      : problem_(problem),
        sums_(sums),
        own_sums_(sums + own_row() * stride(warps_along_k()) + static_cast<int>(threadIdx.y) * 8 +
                  own_column()),
        first_row_(static_cast<int>(blockIdx.x) * problem.rows_of_block),
        rows_(problem.n - first_row_ < problem.rows_of_block ? problem.n - first_row_
                                                             : problem.rows_of_block),
        parts_((problem.k + span - 1) / span),
        units_((problem.k + unit - 1) / unit),
        row_bytes_(problem.k / Codes::of_piece * 16) {}

  static KERNEL_DEVICE int g() { return static_cast<int>(threadIdx.x) / 4; }
  static KERNEL_DEVICE int q() { return static_cast<int>(threadIdx.x) % 4; }
  static KERNEL_DEVICE int thread() {
    return static_cast<int>(threadIdx.x + 32 * (threadIdx.y + blockDim.y * threadIdx.z));
  }
  static KERNEL_DEVICE int warps_along_k() { return static_cast<int>(blockDim.y); }
  static KERNEL_DEVICE int begin_row() { return static_cast<int>(threadIdx.z) * step_rows; }
  static KERNEL_DEVICE int row_step() { return static_cast<int>(blockDim.z) * step_rows; }
  static KERNEL_DEVICE int own_row() { return g() / stretches; }
  // The one of columns 2q and 2q + 1 of this thread's stretch, if any; the first where there is one stretch.
  static KERNEL_DEVICE int own_column() { return 2 * q() + (stretches > 1 ? g() % 2 : 0); }
  static KERNEL_DEVICE int unit_of(int part) { return part * stretches + g() % stretches; }
  static KERNEL_DEVICE int begin_of(int part) { return unit_of(part) * unit + q() * Codes::of_piece; }

  KERNEL_DEVICE Place first_place() const {
    const auto row = static_cast<std::int64_t>(first_row_ + begin_row() + own_row());
    const int part = static_cast<int>(threadIdx.y);
    Place first{
        begin_row(), begin_of(part), problem_.w + row * row_bytes_ + begin_of(part) / Codes::of_piece * 16,
        nullptr,     nullptr,        nullptr};
    first.w_of_part = first.w;
    if (Codes::scaled_by_unit) first.scales = problem_.scales + row * units_ + unit_of(part);
    first.scales_of_part = first.scales;
    return first;
  }

  // Reads the pieces of a step. Pieces outside W stay as they are: any code times an X of zero is zero, and
  // rows past the block's are not written.
  KERNEL_DEVICE void read(Place& next, Step& to) const {
    KERNEL_UNROLL
    for (int r = 0; r < 2; ++r) {
      const bool inside = next.row + own_row() + r * Tokens < rows_;
      if (inside && next.k < problem_.k) to.pieces[r] = ptx::load_once(next.w + r * Tokens * row_bytes_);
      if constexpr (Codes::scaled_by_unit)  // also where this thread's piece of the unit is past k
        if (inside && next.k - q() * Codes::of_piece < problem_.k)
          to.scales[r] = __ldg(next.scales + r * Tokens * units_);
    }
    next.row += row_step();
    next.w += row_step() * row_bytes_;
    next.scales += Codes::scaled_by_unit ? row_step() * units_ : 0;
    if (next.row < rows_) return;
    next.row = begin_row();
    next.k += warps_along_k() * span;
    next.w = next.w_of_part += warps_along_k() * (span / Codes::of_piece * 16);
    next.scales = next.scales_of_part += Codes::scaled_by_unit ? warps_along_k() * stretches : 0;
  }

  // X of a part of k, as thread q of column g wants it; zeros past k and past the tokens.
  KERNEL_DEVICE void read_x(int part, uint4 (&x)[steps]) const {
    const int token = g() / stretches;
    const bool inside = token < problem_.m && begin_of(part) < problem_.k;
    const auto* const from = reinterpret_cast<const uint4*>(
        problem_.x + static_cast<std::int64_t>(token) * problem_.k + begin_of(part));
    KERNEL_UNROLL
    for (int i = 0; i < steps; ++i) x[i] = inside ? __ldg(from + i) : make_uint4(0, 0, 0, 0);
  }
  static KERNEL_DEVICE void arrange(const uint4 (&x)[steps], std::uint32_t (&halves)[steps][4]) {
    KERNEL_UNROLL
    for (int i = 0; i < steps; ++i) Codes::arrange(x[i], halves[i]);
  }

  KERNEL_DEVICE void multiply_steps() const {
    int part = static_cast<int>(threadIdx.y);
    int row = begin_row();
    if (row >= rows_) return;
    uint4 read_ahead[steps];
    read_x(part, read_ahead);
    Place next = first_place();
    Step ring[Depth] = {};
    KERNEL_UNROLL
    for (int i = 0; i < Depth; ++i) read(next, ring[i]);
    std::uint32_t x[steps][4];
    arrange(read_ahead, x);
    for (;;) {
      KERNEL_UNROLL
      for (int i = 0; i < Depth; ++i) {
        multiply(row, part, ring[i], x);
        read(next, ring[i]);
        row += row_step();
        if (row < rows_) continue;
        row = begin_row();
        part += warps_along_k();
        if (part >= parts_) return;
        read_x(part, read_ahead);
        arrange(read_ahead, x);
      }
    }
  }

  // mma leaves rows g and g + 8 of columns 2q and 2q + 1. Its k 2q, 2q + 1 are elements of thread q's piece
  // of W and of X, in the order of widen() and arrange().
  KERNEL_DEVICE void multiply(int row, int part, const Step& step, const std::uint32_t (&x)[steps][4]) const {
    float products[2][4] = {};  // two chains, which do not wait for each other
    KERNEL_UNROLL
    for (int i = 0; i < steps; ++i) {
      std::uint32_t rows[2][4];
      KERNEL_UNROLL
      for (int r = 0; r < 2; ++r) {
        const std::uint32_t words[4] = {step.pieces[r].x, step.pieces[r].y, step.pieces[r].z,
                                        step.pieces[r].w};
        Codes::widen(words, i, rows[r]);
      }
      KERNEL_UNROLL
      for (int half = 0; half < 2; ++half) {
        const std::uint32_t a[4] = {rows[0][2 * half], rows[1][2 * half], rows[0][2 * half + 1],
                                    rows[1][2 * half + 1]};
        const std::uint32_t b[2] = {x[i][2 * half], x[i][2 * half + 1]};
        ptx::mma_m16n8k16(ptx::F16{}, products[half], a, b);
      }
    }
    float sums[4];
    KERNEL_UNROLL
    for (int i = 0; i < 4; ++i) {
      sums[i] = products[0][i] + products[1][i];
      if constexpr (Codes::scaled_by_unit) sums[i] *= step.scales[i / 2];
    }
    float* const to = own_sums_ + row * stride(warps_along_k());
    const int lower = Tokens * stride(warps_along_k());
    const bool again = part >= warps_along_k();
    if constexpr (stretches == 1) {
      KERNEL_UNROLL
      for (int i = 0; i < 4; ++i) add(to + i / 2 * lower + i % 2, sums[i], again);
    } else if (own_column() % stretches == g() % stretches) {
      add(to, g() % 2 == 0 ? sums[0] : sums[1], again);
      add(to + lower, g() % 2 == 0 ? sums[2] : sums[3], again);
    }
  }
  static KERNEL_DEVICE void add(float* to, float sum, bool again) { *to = again ? *to + sum : sum; }

  // The scale of a thread's row, where a row has one.
  KERNEL_DEVICE float scale_of_row() const {
    return !Codes::scaled_by_unit && thread() < rows_ ? __ldg(problem_.scales + first_row_ + thread()) : 1.0F;
  }

  // Eight threads add the sums of a row, each those of one column.
  KERNEL_DEVICE void write(float scale) const {
    const int of_row = stride(warps_along_k());
    float* const scales = sums_ + (problem_.rows_of_block + step_rows) * of_row;
    if (!Codes::scaled_by_unit && thread() < rows_) scales[thread()] = scale;
    __syncthreads();
    const int column = thread() % 8;
    const int token = column / stretches;
    const int step = static_cast<int>(blockDim.y * blockDim.z) * 4;
    for (int row = thread() / 8; row - row % 4 < rows_; row += step) {
      float sum = 0;
      const int sums_of_row = row < rows_ ? warps_along_k() : 0;
      KERNEL_NO_UNROLL
      for (int i = 0; i < sums_of_row; ++i) sum += sums_[row * of_row + i * 8 + column];
      KERNEL_UNROLL
      for (int bits = 1; bits < stretches; bits *= 2) sum += __shfl_xor_sync(0xFFFFFFFFU, sum, bits);
      if (row >= rows_ || token >= problem_.m || column % stretches != 0) continue;
      if (!Codes::scaled_by_unit) sum *= scales[row];
      problem_.y[static_cast<std::int64_t>(token) * problem_.n + first_row_ + row] = ptx::F16::narrow(sum);
    }
  }

  const SkinnyProblem& problem_;
  float* const sums_;
  float* const own_sums_;
  const int first_row_;  // of the block
  const int rows_;       // of the block
  const int parts_;      // of k
  const int units_;      // of k
  const int row_bytes_;
};

template <class Codes, int Tokens, int Warps, int Depth>
__global__ void __launch_bounds__(32 * Warps) few_tokens_kernel(SkinnyProblem problem) {
  KERNEL_DYNAMIC_SHARED(memory, 16);
  FewTokens<Codes, Tokens, Depth>::run(problem, reinterpret_cast<float*>(memory));
}

// For `blocks` blocks, or more where a block's rows are more than its threads or take too much shared memory.
template <class Codes, int Tokens, int Warps, int Depth>
SkinnyLaunch few_tokens_launch_of(int n, int k, int blocks, std::size_t most_shared_bytes) {
  using Work = FewTokens<Codes, Tokens, Depth>;
  const auto parts_of = [](int whole, int part) { return (whole + part - 1) / part; };
  const int parts = parts_of(k, Work::span);
  const int warps_along_k = parts_of(parts, parts_of(parts, Warps));
  int steps = parts_of(parts_of(n, blocks), Work::step_rows);
  while (steps * Work::step_rows > 16 * Warps ||
         (steps > 1 && Work::shared_bytes(steps * Work::step_rows, warps_along_k) > most_shared_bytes))
    steps = (steps + 1) / 2;
  const int rows = steps * Work::step_rows, groups = Warps / warps_along_k;
  return {
      few_tokens_kernel<Codes, Tokens, Warps, Depth>, parts_of(n, rows),
      dim3(32, static_cast<unsigned>(warps_along_k), static_cast<unsigned>(groups < steps ? groups : steps)),
      static_cast<int>(Work::shared_bytes(rows, warps_along_k)), rows};
}

// The kernel for a problem on a device whose blocks have `most_shared_bytes`.
template <class Codes>
SkinnyLaunch weight_only_launch(int m, int n, int k, int multiprocessors, std::size_t most_shared_bytes) {
  constexpr int warps = 16, depth = 4, most_k = 1 << 24;  // no step between addresses passes an int
  const auto launch = [&]<int Tokens>(std::integral_constant<int, Tokens>) {
    return few_tokens_launch_of<Codes, Tokens, warps, depth>(n, k, multiprocessors, most_shared_bytes);
  };
  if (m > 8 || k > most_k) return skinny_launch<Codes>(m, n);
  if (m == 1) return launch(std::integral_constant<int, 1>{});
  if (m == 2) return launch(std::integral_constant<int, 2>{});
  if (m <= 4) return launch(std::integral_constant<int, 4>{});
  return launch(std::integral_constant<int, 8>{});
}

}  // namespace quant_gemm
