// The rotary embedding on the device: an epilogue of products on wgmma (gemm/wgmma_tile.cuh), and a kernel
// that does the same to a product in memory. Both change pieces of eight elements of 16 bits. Kernel code.
#pragma once

#include "kernels/gemm/wgmma_specialised.cuh"
#include "kernels/operators/qkv_rope/turn.h"

namespace operators::qkv_rope {

// Eight elements from `column`, a multiple of 8, on, turned where they are queries or keys.
template <class Element>
KERNEL_DEVICE gemm::Piece turned(gemm::Piece piece, const Turns& turns, int row, int column) {
  KERNEL_UNROLL
  for (int i = 0; i < 4; ++i) {
    if (column + 2 * i >= turns.turned) continue;
    const float* const turn = turns.of(row, column + 2 * i);
    const float low = Element::widen(static_cast<std::uint16_t>(piece.words[i])),
                high = Element::widen(static_cast<std::uint16_t>(piece.words[i] >> 16));
    piece.words[i] = Element::narrow(turned_low(low, high, turn), turned_high(low, high, turn));
  }
  return piece;
}

template <class Element>
struct TurnEpilogue {
  Turns turns;

  using Pair = gemm::PlainEpilogue::Pair;
  KERNEL_DEVICE Pair of_pair(int) const { return {}; }
  static KERNEL_DEVICE float low(Pair) { return 0.0F; }
  static KERNEL_DEVICE float high(Pair) { return 0.0F; }
  KERNEL_DEVICE float finish(float sum, float) const { return sum; }
  KERNEL_DEVICE gemm::Piece add(gemm::Piece piece, int row, int column) const {
    return turned<Element>(piece, turns, row, column);
  }
};

inline constexpr int turn_threads = 256;

// In place on y, rows of `n` elements, a multiple of 8. Grid: a thread for each piece of queries and keys.
template <class Element>
__global__ void __launch_bounds__(turn_threads)
    turn_kernel(typename Element::Storage* y, Turns turns, std::int64_t rows, int n) {
  const int pieces = (turns.turned + 7) / 8;
  const std::int64_t at = static_cast<std::int64_t>(blockIdx.x) * turn_threads + threadIdx.x;
  const std::int64_t row = at / pieces;
  if (row >= rows) return;
  const auto column = static_cast<int>(at % pieces) * 8;
  auto* const piece = reinterpret_cast<gemm::Piece*>(y + row * n + column);
  *piece = turned<Element>(*piece, turns, static_cast<int>(row), column);
}

}  // namespace operators::qkv_rope
