// MmaResults: shared by the products by mma.sync (compute capability 8.0): where a warp's part of the tile
// is, the instruction, and how sums become elements of Y. Each warp finishes its sums and writes them through
// its own part of shared memory, so that rows of Y are written in 16-byte pieces.
#pragma once

#include <cstring>

#include "kernels/gemm/tiles.cuh"

namespace gemm {

template <class Element, class Tile, bool Aligned, class Epilogue, class Given>
class MmaResults {
 public:
  // A warp's sums, by 16 x 8 results of one instruction. A thread holds, of each, columns 2q and 2q + 1 (q
  // its place among four threads) of two rows, eight apart.
  static constexpr int down = Tile::warp_rows / 16;
  static constexpr int across = Tile::warp_columns / 8;
  using Sums = float[down][across][4];

  static KERNEL_DEVICE int warp_row() { return thread() / 32 / Tile::warps_across * Tile::warp_rows; }
  static KERNEL_DEVICE int warp_column() { return thread() / 32 % Tile::warps_across * Tile::warp_columns; }

  static KERNEL_DEVICE void multiply(float (&sums)[4], const std::uint32_t (&x)[4],
                                     const std::uint32_t (&w)[2]) {
    if constexpr (Tile::element_bytes == 4)
      ptx::mma_m16n8k8_tf32(sums, x, w);
    else
      ptx::mma_m16n8k16(Element{}, sums, x, w);
  }

  // By all threads of the block, when nobody reads the ring in `memory` any more.
  static KERNEL_DEVICE void write(unsigned char* memory, const Given& problem, const Epilogue& epilogue,
                                  int row, int column, const Sums& sums) {
    unsigned char* const staging = memory + thread() / 32 * (Tile::warp_rows * Tile::y_pieces * 16);
    stage_results(staging, problem, epilogue, column, sums);
    __syncwarp();
    write_results(staging, problem, row, column);
  }

 private:
  using Storage = typename Element::Storage;

  static KERNEL_DEVICE int thread() { return static_cast<int>(threadIdx.x); }

  static KERNEL_DEVICE void put(unsigned char* to, float low, float high) {
    if constexpr (Tile::element_bytes == 4)
      *reinterpret_cast<float2*>(to) = make_float2(low, high);
    else
      *reinterpret_cast<std::uint32_t*>(to) = Element::narrow(low, high);
  }

  static KERNEL_DEVICE void stage_results(unsigned char* staging, const Given& problem,
                                          const Epilogue& epilogue, int column, const Sums& sums) {
    const int group = thread() % 32 / 4;
    KERNEL_UNROLL
    for (int j = 0; j < across; ++j) {
      const int within = j * 8 + thread() % 4 * 2;
      const int first = column + warp_column() + within;
      const float low = first < problem.n ? epilogue.of_column(first) : 0.0F;
      const float high = first + 1 < problem.n ? epilogue.of_column(first + 1) : 0.0F;
      KERNEL_UNROLL
      for (int i = 0; i < down; ++i) KERNEL_UNROLL
      for (int half = 0; half < 2; ++half)
        put(staging + piece_offset<Tile::y_pieces>(i * 16 + half * 8 + group, within / Tile::piece) +
                within % Tile::piece * Tile::element_bytes,
            epilogue.finish(sums[i][j][half * 2], low), epilogue.finish(sums[i][j][half * 2 + 1], high));
    }
  }

  static KERNEL_DEVICE void write_results(const unsigned char* staging, const Given& problem, int row,
                                          int column) {
    KERNEL_UNROLL
    for (int i = 0; i < Tile::warp_rows * Tile::y_pieces / 32; ++i) {
      const int index = thread() % 32 + i * 32;
      const int r = index / Tile::y_pieces;
      const int piece = index % Tile::y_pieces;
      const int y_row = row + warp_row() + r;
      const int y_column = column + warp_column() + piece * Tile::piece;
      if (y_row >= problem.m || y_column >= problem.n) continue;
      Piece held = *reinterpret_cast<const Piece*>(staging + piece_offset<Tile::y_pieces>(r, piece));
      if constexpr (requires { problem.is_zero(0); })
        if (problem.is_zero(y_row)) held = {};
      Storage* const to = problem.y + static_cast<std::int64_t>(y_row) * problem.n + y_column;
      if constexpr (Aligned) {
        *reinterpret_cast<Piece*>(to) = held;
      } else {
        Storage values[Tile::piece];
        memcpy(values, &held, sizeof held);
        KERNEL_UNROLL
        for (int e = 0; e < Tile::piece; ++e)
          if (y_column + e < problem.n) to[e] = values[e];
      }
    }
  }
};

}  // namespace gemm
