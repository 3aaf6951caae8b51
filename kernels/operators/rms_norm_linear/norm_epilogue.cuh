// NormEpilogue: RMSNorm of X within a product on wgmma (gemm/wgmma_specialised.cuh). Before a slot is
// multiplied, its consumers add up the squares of X and multiply X by the gain, in shared memory. Sums are
// multiplied by the factor of their row. X gain is rounded to the element type, as the separate way rounds
// the normalised X. Kernel code.
#pragma once

#include "kernels/gemm/wgmma_specialised.cuh"
#include "kernels/operators/row_operations.h"

namespace operators::rms_norm_linear {

template <class Element>
struct NormEpilogue {
  using Pair = gemm::PlainEpilogue::Pair;
  const typename Element::Storage* gain = nullptr;

  KERNEL_DEVICE Pair of_pair(int) const { return {}; }

  // When a tile's sums are complete.
  struct Finished {
    using Pair = NormEpilogue::Pair;
    float factors[2];  // of the thread's rows, 8 apart

    static KERNEL_DEVICE float low(Pair) { return 0.0F; }
    static KERNEL_DEVICE float high(Pair) { return 0.0F; }
    KERNEL_DEVICE float of_row(int row) const { return (row & 8) == 0 ? factors[0] : factors[1]; }
    KERNEL_DEVICE float finish(float sum, float, float of_row) const { return sum * of_row; }
  };

  // The norm of a warpgroup's 64 rows of a tile. A thread has one piece of 16 bytes of four of its warp's
  // rows, 4 apart.
  class OfX {
   public:
    KERNEL_DEVICE void change(unsigned char* x, const gemm::Problem<Element>& problem,
                              const NormEpilogue& epilogue, int begin, int warpgroup) {
      const int lane = static_cast<int>(threadIdx.x) % 32, warp = static_cast<int>(threadIdx.x) / 32 % 4;
      const int column = begin + lane % 8 * 8;
      gemm::Piece gains = {};  // X is 0 beyond k
      if (column < problem.k) gains = *reinterpret_cast<const gemm::Piece*>(epilogue.gain + column);
      KERNEL_UNROLL
      for (int i = 0; i < 4; ++i) {
        auto* const at =
            reinterpret_cast<gemm::Piece*>(x + gemm::piece_offset<8>(warp * 16 + i * 4 + lane / 8, lane % 8));
        gemm::Piece piece = *at;
        KERNEL_UNROLL
        for (int word = 0; word < 4; ++word) {
          const float low = half(piece.words[word], 0), high = half(piece.words[word], 16);
          squares_[i] += low * low + high * high;
          piece.words[word] =
              Element::narrow(low * half(gains.words[word], 0), high * half(gains.words[word], 16));
        }
        *at = piece;
      }
      ptx::fence_proxy_async();
      ptx::named_barrier_sync(1 + warpgroup, 128);
    }

    KERNEL_DEVICE Finished finished(const gemm::Problem<Element>& problem) const {
      float sums[4];
      KERNEL_UNROLL
      for (int i = 0; i < 4; ++i) {
        sums[i] = squares_[i];
        KERNEL_UNROLL
        for (int bits = 4; bits > 0; bits /= 2) sums[i] += __shfl_xor_sync(0xFFFFFFFFU, sums[i], bits);
      }
      const int lane = static_cast<int>(threadIdx.x) % 32, from = lane / 4 % 4 * 8;
      Finished finished;
      KERNEL_UNROLL
      for (int half = 0; half < 2; ++half) {
        const float upper = __shfl_sync(0xFFFFFFFFU, sums[half * 2], from),
                    lower = __shfl_sync(0xFFFFFFFFU, sums[half * 2 + 1], from);
        finished.factors[half] = RmsNorm::finish(0, lane < 16 ? upper : lower, static_cast<float>(problem.k));
      }
      return finished;
    }

   private:
    static KERNEL_DEVICE float half(std::uint32_t pair, int shift) {
      return Element::widen(static_cast<std::uint16_t>(pair >> shift));
    }

    float squares_[4] = {};
  };
};
static_assert(sizeof(NormEpilogue<ptx::F16>) == sizeof(void*));

}  // namespace operators::rms_norm_linear
