// wgmma.sp: wgmma with a sparse A, of which two of each four neighbours along k are stored. One function an
// instruction; needs sm_90a. The emulator's counterparts are in tests/emulate/wgmma_sparse.h.
//
// D (float32, in registers) is 64 x N as in wgmma.cuh. A is 64 x 32, stored as 64 x 16; B is 32 x N. Both are
// contiguous along k. `places` is a word of each thread: two bits for each stored element of A tell where
// among its four neighbours it stands, and ascend within them. The threads 4 g + 2 Selector + q (q is 0 or 1)
// of a warp give the words: bits 0 to 15 for row g, bits 16 to 31 for row g + 8, of columns 16 q to 16 q
// + 15. The other two threads of four give theirs to the other selector. PTX ISA, "Asynchronous Warpgroup
// Level Multiply-and-Accumulate Operation using wgmma.mma_async.sp instruction".
#pragma once

#include "kernels/ptx/wgmma.cuh"

#ifndef __CUDACC__
#include <emulate/wgmma_sparse.h>
#else

namespace ptx {

// WgmmaSparse<Element, N>::shared: d = a b when `accumulate` is 0, otherwise d += a b.
template <class Element, int N>
struct WgmmaSparse;

// clang-format off
#define WGMMA_SPARSE(Element, N, type, registers, predicate, a_at, b_at, places_at, selector_at, ...) \
  template <> struct WgmmaSparse<Element, N> { \
    template <int Selector> \
    static KERNEL_DEVICE void shared(float (&d)[N / 2], std::uint64_t a, std::uint64_t b, std::uint32_t places, \
                                     int accumulate) { \
      static_assert(Selector == 0 || Selector == 1); \
      asm volatile("{.reg .pred p; setp.ne.b32 p, " predicate ", 0; wgmma.mma_async.sp.sync.aligned.m64n" #N "k32.f32." type "." type " {" \
        registers "}, " a_at ", " b_at ", " places_at ", " selector_at ", p, 1, 1, 0, 0;}" \
        : __VA_ARGS__ : "l"(a), "l"(b), "r"(places), "r"(accumulate), "n"(Selector) : "memory"); } \
  };
WGMMA_SPARSE(F16, 64, "f16", WGMMA_R0 ", " WGMMA_R16, "%35", "%32", "%33", "%34", "%36", WGMMA_D0, WGMMA_D16)
WGMMA_SPARSE(F16, 128, "f16", WGMMA_R0 ", " WGMMA_R16 ", " WGMMA_R32 ", " WGMMA_R48, "%67", "%64", "%65", "%66", "%68", WGMMA_D0, WGMMA_D16, WGMMA_D32, WGMMA_D48)
WGMMA_SPARSE(F16, 256, "f16", WGMMA_R0 ", " WGMMA_R16 ", " WGMMA_R32 ", " WGMMA_R48 ", " WGMMA_R64 ", " WGMMA_R80 ", " WGMMA_R96 ", " WGMMA_R112, "%131", "%128", "%129", "%130", "%132", WGMMA_D0, WGMMA_D16, WGMMA_D32, WGMMA_D48, WGMMA_D64, WGMMA_D80, WGMMA_D96, WGMMA_D112)
// clang-format on

}  // namespace ptx

#endif
