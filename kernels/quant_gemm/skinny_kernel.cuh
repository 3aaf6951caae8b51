// A product with weights of int8 or int4 for few tokens, which is as fast as W can be read. Rows of W are the
// rows of mma.m16n8k16, tokens its columns. A warp reads W once, straight into registers. Four threads share
// 64 bytes of a row, and each widens its 16 to halves. These are fragments already: the order in which mma
// counts k is free as long as X comes in the same. The warps of a block take turns along k and add their sums
// at the end.
#pragma once

#include <type_traits>

#include "kernels/ptx/small.cuh"

namespace quant_gemm {

// Extents in elements. X is m x k, W n x k, Y m x n.
struct SkinnyProblem {
  const std::uint16_t* x = nullptr;
  const unsigned char* w = nullptr;
  const float* scales = nullptr;
  std::uint16_t* y = nullptr;
  int m = 0;
  int n = 0;
  int k = 0;
  int rows_of_block = 0;  // where the launch chooses them
};
static_assert(std::has_unique_object_representations_v<SkinnyProblem>);

// Codes of 4 bits in two's complement, eight a word, with a scale for each 128 of k, which is what four
// threads read at once. A half of 0x6400 + c is 1024 + c, for c up to 1023. A code with its highest bit
// flipped is the number plus 8, so that one logical instruction (and, xor) makes two halves of it.
struct FourBits {
  static constexpr int bits = 4;
  static constexpr int of_piece = 32;  // codes in 16 bytes
  static constexpr bool scaled_by_unit = true;
  static constexpr bool arranges = true;
  static constexpr int batch = 2;  // units of a warp on their way while as many are multiplied; of 16 rows

  // Codes 8i to 8i + 7 as halves: elements 0 4, 1 5, 2 6, 3 7.
  static KERNEL_DEVICE void widen(const std::uint32_t (&words)[4], int i, std::uint32_t (&halves)[4]) {
    const std::uint32_t word = words[i];
    const std::uint32_t upper = word >> 8;
    constexpr std::uint32_t minus_1032 = 0xE408E408U;
    constexpr std::uint32_t sixteenth = 0x2C002C00U;
    constexpr std::uint32_t minus_72 = 0xD480D480U;
    halves[0] = ptx::add_halves(ptx::and_xor(word, 0x000F000FU, 0x64086408U), minus_1032);
    halves[1] = ptx::multiply_add_halves(ptx::and_xor(word, 0x00F000F0U, 0x64806480U), sixteenth, minus_72);
    halves[2] = ptx::add_halves(ptx::and_xor(upper, 0x000F000FU, 0x64086408U), minus_1032);
    halves[3] = ptx::multiply_add_halves(ptx::and_xor(upper, 0x00F000F0U, 0x64806480U), sixteenth, minus_72);
  }
  // Eight neighbours of X in the same order.
  static KERNEL_DEVICE void arrange(const uint4& x, std::uint32_t (&halves)[4]) {
    halves[0] = ptx::select_bytes(x.x, x.z, 0x5410);
    halves[1] = ptx::select_bytes(x.x, x.z, 0x7632);
    halves[2] = ptx::select_bytes(x.y, x.w, 0x5410);
    halves[3] = ptx::select_bytes(x.y, x.w, 0x7632);
  }
};

// Codes of 8 bits, four a word, with a scale for each row of W.
struct EightBits {
  static constexpr int bits = 8;
  static constexpr int of_piece = 16;
  static constexpr bool scaled_by_unit = false;
  static constexpr bool arranges = false;
  static constexpr int batch = 4;

  static KERNEL_DEVICE void widen(const std::uint32_t (&words)[4], int i, std::uint32_t (&halves)[4]) {
    constexpr std::uint32_t minus_1152 = 0xE480E480U;
    KERNEL_UNROLL
    for (int half = 0; half < 2; ++half) {
      const std::uint32_t word = words[2 * i + half] ^ 0x80808080U;  // the number plus 128
      halves[2 * half] = ptx::add_halves(ptx::select_bytes(word, 0x64646464U, 0x4140), minus_1152);
      halves[2 * half + 1] = ptx::add_halves(ptx::select_bytes(word, 0x64646464U, 0x4342), minus_1152);
    }
  }
  static KERNEL_DEVICE void arrange(const uint4& x, std::uint32_t (&halves)[4]) {
    halves[0] = x.x;
    halves[1] = x.y;
    halves[2] = x.z;
    halves[3] = x.w;
  }
};

// A block takes 16 RowTiles rows of W and 8 TokenTiles tokens.
template <class Codes, int RowTiles, int TokenTiles>
class Skinny {
 public:
  static constexpr int warps = 8;
  static constexpr int threads = 32 * warps;
  static constexpr int rows = 16 * RowTiles;
  static constexpr int tokens = 8 * TokenTiles;
  using Sums = float[warps][tokens][rows];  // of each warp

  // Blocks that share a multiprocessor; more tokens take more registers.
  static constexpr int neighbours = RowTiles * TokenTiles <= 4 ? 2 : 1;

  static KERNEL_DEVICE void run(const SkinnyProblem& problem, Sums& shared) {
    const int first_row = static_cast<int>(blockIdx.x) * rows;
    const int units = (problem.k + unit - 1) / unit;
    float sums[RowTiles][TokenTiles][4] = {};
    Batch now;
    read(problem, first_row, warp(), units, now);
    for (int u = warp(); u < units; u += warps * batch) {
      Batch next;
      read(problem, first_row, u + warps * batch, units, next);
      KERNEL_UNROLL
      for (int i = 0; i < batch; ++i)
        if (u + i * warps < units) multiply(problem, u + i * warps, now.pieces[i], now.scales[i], sums);
      now = next;
    }
    put(sums, shared[warp()]);
    __syncthreads();
    write(problem, first_row, shared);
  }

 private:
  static constexpr int batch = Codes::batch / RowTiles;
  static constexpr int unit = 4 * Codes::of_piece;   // of k
  static constexpr int steps = Codes::of_piece / 8;  // of 8 codes, in a piece

  // A thread's pieces of a unit: rows g and g + 8 of each tile of rows.
  struct Batch {
    std::uint32_t pieces[batch][2 * RowTiles][4];
    float scales[batch][2 * RowTiles];
  };

  static KERNEL_DEVICE int warp() { return static_cast<int>(threadIdx.x) / 32; }
  static KERNEL_DEVICE int g() { return static_cast<int>(threadIdx.x) % 32 / 4; }
  static KERNEL_DEVICE int q() { return static_cast<int>(threadIdx.x) % 4; }

  // The batch of units u, u + warps, ...; zeros outside W. A piece is inside or outside as a whole.
  static KERNEL_DEVICE void read(const SkinnyProblem& problem, int first_row, int u, int units, Batch& to) {
    KERNEL_UNROLL
    for (int i = 0; i < batch; ++i, u += warps) {
      const int begin = u * unit + q() * Codes::of_piece;
      KERNEL_UNROLL
      for (int r = 0; r < 2 * RowTiles; ++r) {
        const int row = first_row + r * 8 + g();
        const bool inside = row < problem.n && u < units;
        uint4 piece = make_uint4(0, 0, 0, 0);
        if (inside && begin < problem.k)
          piece = ptx::load_once(problem.w +
                                 (static_cast<std::int64_t>(row) * problem.k + begin) * Codes::bits / 8);
        to.pieces[i][r][0] = piece.x;
        to.pieces[i][r][1] = piece.y;
        to.pieces[i][r][2] = piece.z;
        to.pieces[i][r][3] = piece.w;
        to.scales[i][r] = 0;
        if constexpr (Codes::scaled_by_unit)
          if (inside) to.scales[i][r] = __ldg(problem.scales + static_cast<std::int64_t>(row) * units + u);
      }
    }
  }

  // Adds the products of one unit. mma's k 2q, 2q + 1 are elements of thread q's piece of W and of X, in the
  // order of widen() and arrange().
  static KERNEL_DEVICE void multiply(const SkinnyProblem& problem, int u,
                                     const std::uint32_t (&pieces)[2 * RowTiles][4],
                                     const float (&scales)[2 * RowTiles],
                                     float (&sums)[RowTiles][TokenTiles][4]) {
    const int begin = u * unit + q() * Codes::of_piece;
    float of_unit[RowTiles][TokenTiles][4] = {};
    auto& to = Codes::scaled_by_unit ? of_unit : sums;
    KERNEL_UNROLL
    for (int step = 0; step < steps; ++step) {
      std::uint32_t x[TokenTiles][4];
      KERNEL_UNROLL
      for (int t = 0; t < TokenTiles; ++t) read_x(problem, t * 8 + g(), begin + step * 8, x[t]);
      KERNEL_UNROLL
      for (int r = 0; r < RowTiles; ++r) {
        std::uint32_t upper[4];
        std::uint32_t lower[4];
        Codes::widen(pieces[2 * r], step, upper);
        Codes::widen(pieces[2 * r + 1], step, lower);
        KERNEL_UNROLL
        for (int half = 0; half < 2; ++half) {
          const std::uint32_t a[4] = {upper[2 * half], lower[2 * half], upper[2 * half + 1],
                                      lower[2 * half + 1]};
          KERNEL_UNROLL
          for (int t = 0; t < TokenTiles; ++t) {
            const std::uint32_t b[2] = {x[t][2 * half], x[t][2 * half + 1]};
            ptx::mma_m16n8k16(ptx::F16{}, to[r][t], a, b);
          }
        }
      }
    }
    if constexpr (Codes::scaled_by_unit) {
      KERNEL_UNROLL
      for (int r = 0; r < RowTiles; ++r) KERNEL_UNROLL
      for (int t = 0; t < TokenTiles; ++t) KERNEL_UNROLL
      for (int i = 0; i < 4; ++i) sums[r][t][i] += scales[2 * r + i / 2] * of_unit[r][t][i];
    }
  }

  static KERNEL_DEVICE void read_x(const SkinnyProblem& problem, int token, int begin,
                                   std::uint32_t (&halves)[4]) {
    uint4 eight = make_uint4(0, 0, 0, 0);
    if (token < problem.m && begin < problem.k)
      eight = __ldg(
          reinterpret_cast<const uint4*>(problem.x + static_cast<std::int64_t>(token) * problem.k + begin));
    Codes::arrange(eight, halves);
  }

  // mma leaves rows g and g + 8 of tokens 2q and 2q + 1.
  static KERNEL_DEVICE void put(const float (&sums)[RowTiles][TokenTiles][4], float (&to)[tokens][rows]) {
    KERNEL_UNROLL
    for (int r = 0; r < RowTiles; ++r) KERNEL_UNROLL
    for (int t = 0; t < TokenTiles; ++t) KERNEL_UNROLL
    for (int i = 0; i < 4; ++i) to[t * 8 + 2 * q() + i % 2][r * 16 + g() + i / 2 * 8] = sums[r][t][i];
  }

  static KERNEL_DEVICE void write(const SkinnyProblem& problem, int first_row, const Sums& shared) {
    for (int at = static_cast<int>(threadIdx.x); at < rows * tokens; at += threads) {
      const int row = first_row + at % rows;
      const int token = at / rows;
      if (row >= problem.n || token >= problem.m) continue;
      float sum = 0;
      KERNEL_UNROLL
      for (int i = 0; i < warps; ++i) sum += shared[i][token][at % rows];
      if constexpr (!Codes::scaled_by_unit) sum *= problem.scales[row];
      problem.y[static_cast<std::int64_t>(token) * problem.n + row] = ptx::F16::narrow(sum);
    }
  }
};

template <class Codes, int RowTiles, int TokenTiles>
__global__ void __launch_bounds__(Skinny<Codes, RowTiles, TokenTiles>::threads,
                                  Skinny<Codes, RowTiles, TokenTiles>::neighbours)
    skinny_kernel(SkinnyProblem problem) {
  using Work = Skinny<Codes, RowTiles, TokenTiles>;
  KERNEL_SHARED(typename Work::Sums, shared);
  Work::run(problem, shared);
}

// A kernel, ready to launch.
struct SkinnyLaunch {
  void (*kernel)(SkinnyProblem) = nullptr;
  int blocks = 0;
  dim3 threads;
  int shared_bytes = 0;
  int rows_of_block = 0;
};

inline constexpr int most_skinny_tokens = 64;

template <class Codes, int RowTiles, int TokenTiles>
SkinnyLaunch skinny_launch_of(int n) {
  using Work = Skinny<Codes, RowTiles, TokenTiles>;
  return {skinny_kernel<Codes, RowTiles, TokenTiles>, (n + Work::rows - 1) / Work::rows, dim3(Work::threads),
          0, 0};
}

// Each block reads all of X, so that more tokens want more rows a block.
template <class Codes>
SkinnyLaunch skinny_launch(int m, int n) {
  if (m <= 8) return skinny_launch_of<Codes, 1, 1>(n);
  if (m <= 16) return skinny_launch_of<Codes, 2, 2>(n);
  if (m <= 32) return skinny_launch_of<Codes, 2, 4>(n);
  return skinny_launch_of<Codes, 1, 8>(n);
}

}  // namespace quant_gemm
