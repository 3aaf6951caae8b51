// The product of skinny_kernel.cuh for so few tokens that X fits into shared memory. One block a
// multiprocessor takes tile after tile of 16 rows of W. Its warps take turns along k, and each has a ring of
// units of W in shared memory. A thread copies its own pieces there and reads them back. So nobody waits for
// another warp's copies, and the ring is full across tiles. X and the scales are copied once, before W.
#pragma once

#include <cstddef>

#include "kernels/quant_gemm/skinny_kernel.cuh"

namespace quant_gemm {

// Where a block's parts of shared memory begin, in bytes. The scales come last: the host alone needs to know
// how many tiles a block takes at most.
template <class Codes, int Warps, int Depth>
struct StreamedMemory {
  static constexpr int warps = Warps;
  static constexpr int rows = 16;                   // of a tile
  static constexpr int unit = 4 * Codes::of_piece;  // of k
  static constexpr int unit_bytes = 2 * 32 * 16;    // of a tile's rows: two pieces a thread
  static constexpr int ring_bytes = warps * Depth * unit_bytes;

  int units = 0;   // of a row
  int stride = 0;  // between the scales of two rows: odd, so that eight rows lie in eight banks
  int x = 0;
  int sums = 0;
  int scales = 0;
  int bytes = 0;

  KERNEL_OR_HOST StreamedMemory(int m, int k, int tiles = 0)
      : units((k + unit - 1) / unit),
        stride(Codes::scaled_by_unit ? units | 1 : 1),
        x(ring_bytes),
        sums(x + m * units * unit * 2),
        scales(sums + 2 * warps * m * rows * 4),
        bytes(scales + tiles * rows * stride * 4) {}
};

template <class Codes, int TokenTiles, int Warps, int Depth>
class Streamed {
 public:
  using Layout = StreamedMemory<Codes, Warps, Depth>;
  static constexpr int warps = Layout::warps;
  static constexpr int threads = 32 * warps;
  static constexpr int rows = Layout::rows;

  static KERNEL_DEVICE void run(const SkinnyProblem& problem, unsigned char* base) {
    Streamed of(problem, base);
    of.copy_x();
    of.copy_scales();
    ptx::cp_async_commit();
    for (int slot = 0; slot < Depth; ++slot) of.copy_next(slot);
    ptx::cp_async_wait<Depth>();
    of.arrange_x();
    __syncthreads();
    of.multiply_tiles();
  }

 private:
  static constexpr int unit = Layout::unit;
  static constexpr int steps = Codes::of_piece / 8;  // of 8 codes, in a piece
  static constexpr int w_step = warps * unit * Codes::bits / 8;

  KERNEL_DEVICE Streamed(const SkinnyProblem& problem, unsigned char* base)
      : problem_(problem),
        layout_(problem.m, problem.k),
        base_(base),
        own_(base + warp() * (Depth * Layout::unit_bytes) + lane() * 16),
        rounds_((layout_.units + warps - 1) / warps) {
    next_row_ = static_cast<int>(blockIdx.x) * rows + g();
    next_begin_ = first_begin();
    next_ = address_of_next();
  }

  static KERNEL_DEVICE int warp() { return static_cast<int>(threadIdx.x) / 32; }
  static KERNEL_DEVICE int lane() { return static_cast<int>(threadIdx.x) % 32; }
  static KERNEL_DEVICE int g() { return lane() / 4; }
  static KERNEL_DEVICE int q() { return lane() % 4; }
  static KERNEL_DEVICE int first_begin() { return warp() * unit + q() * Codes::of_piece; }

  KERNEL_DEVICE const unsigned char* address_of_next() const {
    return problem_.w + (static_cast<std::int64_t>(next_row_) * problem_.k + next_begin_) * Codes::bits / 8;
  }

  // Where 16 bytes of X lie: as thread q of a warp wants them for a step, tokens side by side.
  KERNEL_DEVICE unsigned char* place_of_x(int token, int at) const {
    const int s = at / unit * steps + at % Codes::of_piece / 8;
    return base_ + layout_.x + (s * problem_.m + token) * 64 + at % unit / Codes::of_piece * 16;
  }
  template <class Act>
  KERNEL_DEVICE void for_each_own_x(Act act) const {
    for (int token = 0; token < problem_.m; ++token)
      for (int at = static_cast<int>(threadIdx.x) * 8; at < layout_.units * unit; at += threads * 8)
        act(token, at);
  }
  // Zeros past k.
  KERNEL_DEVICE void copy_x() const {
    for_each_own_x([&](int token, int at) {
      const bool inside = at < problem_.k;
      ptx::cp_async_16(ptx::shared_address(place_of_x(token, at)),
                       problem_.x + (inside ? static_cast<std::int64_t>(token) * problem_.k + at : 0),
                       inside ? 16 : 0);
    });
  }
  KERNEL_DEVICE void arrange_x() const {
    if constexpr (Codes::arranges) {
      for_each_own_x([&](int token, int at) {
        auto& piece = *reinterpret_cast<uint4*>(place_of_x(token, at));
        std::uint32_t halves[4];
        Codes::arrange(piece, halves);
        piece = make_uint4(halves[0], halves[1], halves[2], halves[3]);
      });
    }
  }

  // Copies the scales of all rows of the block's tiles: a warp copies whole rows, or a thread a scale.
  KERNEL_DEVICE void copy_scales() const {
    constexpr bool by_unit = Codes::scaled_by_unit;
    const int of_row = by_unit ? layout_.units : 1;
    constexpr int step = by_unit ? warps : threads;
    for (int i = by_unit ? warp() : static_cast<int>(threadIdx.x); row_of_tile(i / rows) < problem_.n;
         i += step) {
      const int row = row_of_tile(i / rows) + i % rows;
      if (row >= problem_.n) continue;
      for (int u = by_unit ? lane() : 0; u < of_row; u += 32)
        ptx::cp_async_4(ptx::shared_address(base_ + layout_.scales + (i * layout_.stride + u) * 4),
                        problem_.scales + static_cast<std::int64_t>(row) * of_row + u);
    }
  }
  // The first row of a tile of this block.
  KERNEL_DEVICE int row_of_tile(int tile) const {
    return (static_cast<int>(blockIdx.x) + tile * static_cast<int>(gridDim.x)) * rows;
  }
  KERNEL_DEVICE const float* scales(int row_of_block) const {
    return reinterpret_cast<const float*>(base_ + layout_.scales) + row_of_block * layout_.stride;
  }

  // Orders the copies of this thread's next two pieces, of rows g and g + 8, and ends their group. Pieces
  // outside W are not copied: any code times an X of zero is zero, and rows past n are not written.
  KERNEL_DEVICE void copy_next(int slot) {
    const std::uint32_t to = ptx::shared_address(own_ + slot * Layout::unit_bytes);
    const std::int64_t eight_rows = static_cast<std::int64_t>(problem_.k) * Codes::bits;
    KERNEL_UNROLL
    for (int r = 0; r < 2; ++r)
      if (next_row_ + r * 8 < problem_.n && next_begin_ < problem_.k)
        ptx::cp_async_16(to + static_cast<std::uint32_t>(r * 512), next_ + r * eight_rows);
    ptx::cp_async_commit();
    next_begin_ += warps * unit;
    next_ += w_step;
    if (++next_round_ < rounds_) return;
    next_round_ = 0;
    next_row_ += static_cast<int>(gridDim.x) * rows;
    next_begin_ = first_begin();
    next_ = address_of_next();
  }

  KERNEL_DEVICE void multiply_tiles() {
    int slot = 0;
    for (int tile = 0; row_of_tile(tile) < problem_.n; ++tile) {
      float sums[TokenTiles][4] = {};
      for (int round = 0; round < rounds_; ++round) {
        ptx::cp_async_wait<Depth - 1>();
        const int u = round * warps + warp();
        if (u < layout_.units) multiply(tile, u, slot, sums);
        copy_next(slot);
        slot = slot + 1 < Depth ? slot + 1 : 0;
      }
      auto* const shared =
          reinterpret_cast<float*>(base_ + layout_.sums) + tile % 2 * (warps * problem_.m * rows);
      put(sums, shared + warp() * (problem_.m * rows));
      __syncthreads();  // the other half of the memory is free, too: its sums were written before
      write(tile, shared);
    }
  }

  // Adds the products of one unit. mma's k 2q, 2q + 1 are elements of thread q's piece of W and of X, in the
  // order of widen() and arrange().
  KERNEL_DEVICE void multiply(int tile, int u, int slot, float (&sums)[TokenTiles][4]) const {
    std::uint32_t pieces[2][4];
    KERNEL_UNROLL
    for (int r = 0; r < 2; ++r) {
      const uint4 piece = *reinterpret_cast<const uint4*>(own_ + slot * Layout::unit_bytes + r * 512);
      pieces[r][0] = piece.x;
      pieces[r][1] = piece.y;
      pieces[r][2] = piece.z;
      pieces[r][3] = piece.w;
    }
    float of_unit[TokenTiles][2][4] = {};  // two chains, which do not wait for each other
    KERNEL_UNROLL
    for (int step = 0; step < steps; ++step) {
      std::uint32_t upper[4];
      std::uint32_t lower[4];
      Codes::widen(pieces[0], step, upper);
      Codes::widen(pieces[1], step, lower);
      KERNEL_UNROLL
      for (int t = 0; t < TokenTiles; ++t) {
        const int token = t * 8 + g() < problem_.m ? t * 8 + g() : problem_.m - 1;
        const uint4 x = *reinterpret_cast<const uint4*>(
            base_ + layout_.x + ((u * steps + step) * problem_.m + token) * 64 + q() * 16);
        const std::uint32_t halves[4] = {x.x, x.y, x.z, x.w};
        KERNEL_UNROLL
        for (int half = 0; half < 2; ++half) {
          const std::uint32_t a[4] = {upper[2 * half], lower[2 * half], upper[2 * half + 1],
                                      lower[2 * half + 1]};
          const std::uint32_t b[2] = {halves[2 * half], halves[2 * half + 1]};
          ptx::mma_m16n8k16(ptx::F16{}, of_unit[t][half], a, b);
        }
      }
    }
    KERNEL_UNROLL
    for (int r = 0; r < 2; ++r) {
      float scale = 1;
      if constexpr (Codes::scaled_by_unit) scale = scales(tile * rows + r * 8 + g())[u];
      KERNEL_UNROLL
      for (int t = 0; t < TokenTiles; ++t) KERNEL_UNROLL
      for (int i = 2 * r; i < 2 * r + 2; ++i) sums[t][i] += scale * (of_unit[t][0][i] + of_unit[t][1][i]);
    }
  }

  // mma leaves rows g and g + 8 of tokens 2q and 2q + 1.
  KERNEL_DEVICE void put(const float (&sums)[TokenTiles][4], float* to) const {
    KERNEL_UNROLL
    for (int t = 0; t < TokenTiles; ++t) KERNEL_UNROLL
    for (int i = 0; i < 4; ++i) {
      const int token = t * 8 + 2 * q() + i % 2;
      if (token < problem_.m) to[token * rows + g() + i / 2 * 8] = sums[t][i];
    }
  }

  KERNEL_DEVICE void write(int tile, const float* shared) const {
    for (int at = static_cast<int>(threadIdx.x); at < rows * problem_.m; at += threads) {
      const int row = row_of_tile(tile) + at % rows;
      if (row >= problem_.n) continue;
      float sum = 0;
      KERNEL_UNROLL
      for (int i = 0; i < warps; ++i) sum += shared[i * problem_.m * rows + at];
      if constexpr (!Codes::scaled_by_unit) sum *= *scales(tile * rows + at % rows);
      problem_.y[static_cast<std::int64_t>(at / rows) * problem_.n + row] = ptx::F16::narrow(sum);
    }
  }

  const SkinnyProblem& problem_;
  const Layout layout_;
  unsigned char* const base_;
  unsigned char* const own_;
  const int rounds_;  // of a warp along k, each tile
  // The next unit to copy: its round, this thread's upper row and k in it, and their address.
  int next_round_ = 0;
  int next_row_ = 0;
  int next_begin_ = 0;
  const unsigned char* next_ = nullptr;
};

template <class Codes, int TokenTiles, int Warps, int Depth>
__global__ void __launch_bounds__(Streamed<Codes, TokenTiles, Warps, Depth>::threads, 1)
    streamed_kernel(SkinnyProblem problem) {
  KERNEL_DYNAMIC_SHARED(memory, 16);
  Streamed<Codes, TokenTiles, Warps, Depth>::run(problem, memory);
}

template <class Codes, int TokenTiles, int Warps, int Depth>
SkinnyLaunch streamed_launch_of(int m, int n, int k, int multiprocessors) {
  using Work = Streamed<Codes, TokenTiles, Warps, Depth>;
  const int tiles = (n + Work::rows - 1) / Work::rows;
  const int blocks = tiles < multiprocessors ? tiles : multiprocessors;
  return {streamed_kernel<Codes, TokenTiles, Warps, Depth>, blocks, Work::threads,
          typename Work::Layout(m, k, (tiles + blocks - 1) / blocks).bytes};
}

// The kernel for a problem on a device whose blocks have `most_shared_bytes`. More tokens than one column of
// mma has, or an X that does not fit, are read from the caches instead.
template <class Codes>
SkinnyLaunch few_tokens_launch(int m, int n, int k, int multiprocessors, std::size_t most_shared_bytes) {
  constexpr int tokens = 8, most_k = 1 << 17, most_n = 1 << 22;  // no number of bytes passes an int
  if (m <= tokens && k <= most_k && n <= most_n) {
    const SkinnyLaunch streamed = streamed_launch_of<Codes, 1, 16, 6>(m, n, k, multiprocessors);
    if (static_cast<std::size_t>(streamed.shared_bytes) <= most_shared_bytes) return streamed;
  }
  return skinny_launch<Codes>(m, n);
}

}  // namespace quant_gemm
