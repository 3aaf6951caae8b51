// wgmma on elements of 8 bits: int8 into int32 and E4M3 into float32. As in wgmma.cuh, but D is 64 x N, A 64
// x 32 and B 32 x N, and both operands are contiguous along k: these types have no transposed form. The
// accumulation of E4M3 keeps fewer bits than float32 has. The emulator's counterparts are in
// tests/emulate/wgmma_8bit.h.
#pragma once

#include "kernels/ptx/small.cuh"
#include "kernels/ptx/wgmma.cuh"

#ifndef __CUDACC__
#include <emulate/wgmma_8bit.h>
#else

namespace ptx {

// clang-format off
#define WGMMA_I0 "+r"(d[0]), "+r"(d[1]), "+r"(d[2]), "+r"(d[3]), "+r"(d[4]), "+r"(d[5]), "+r"(d[6]), "+r"(d[7]), "+r"(d[8]), "+r"(d[9]), "+r"(d[10]), "+r"(d[11]), "+r"(d[12]), "+r"(d[13]), "+r"(d[14]), "+r"(d[15])
#define WGMMA_I16 "+r"(d[16]), "+r"(d[17]), "+r"(d[18]), "+r"(d[19]), "+r"(d[20]), "+r"(d[21]), "+r"(d[22]), "+r"(d[23]), "+r"(d[24]), "+r"(d[25]), "+r"(d[26]), "+r"(d[27]), "+r"(d[28]), "+r"(d[29]), "+r"(d[30]), "+r"(d[31])
#define WGMMA_I32 "+r"(d[32]), "+r"(d[33]), "+r"(d[34]), "+r"(d[35]), "+r"(d[36]), "+r"(d[37]), "+r"(d[38]), "+r"(d[39]), "+r"(d[40]), "+r"(d[41]), "+r"(d[42]), "+r"(d[43]), "+r"(d[44]), "+r"(d[45]), "+r"(d[46]), "+r"(d[47])
#define WGMMA_I48 "+r"(d[48]), "+r"(d[49]), "+r"(d[50]), "+r"(d[51]), "+r"(d[52]), "+r"(d[53]), "+r"(d[54]), "+r"(d[55]), "+r"(d[56]), "+r"(d[57]), "+r"(d[58]), "+r"(d[59]), "+r"(d[60]), "+r"(d[61]), "+r"(d[62]), "+r"(d[63])
#define WGMMA_I64 "+r"(d[64]), "+r"(d[65]), "+r"(d[66]), "+r"(d[67]), "+r"(d[68]), "+r"(d[69]), "+r"(d[70]), "+r"(d[71]), "+r"(d[72]), "+r"(d[73]), "+r"(d[74]), "+r"(d[75]), "+r"(d[76]), "+r"(d[77]), "+r"(d[78]), "+r"(d[79])
#define WGMMA_I80 "+r"(d[80]), "+r"(d[81]), "+r"(d[82]), "+r"(d[83]), "+r"(d[84]), "+r"(d[85]), "+r"(d[86]), "+r"(d[87]), "+r"(d[88]), "+r"(d[89]), "+r"(d[90]), "+r"(d[91]), "+r"(d[92]), "+r"(d[93]), "+r"(d[94]), "+r"(d[95])
#define WGMMA_I96 "+r"(d[96]), "+r"(d[97]), "+r"(d[98]), "+r"(d[99]), "+r"(d[100]), "+r"(d[101]), "+r"(d[102]), "+r"(d[103]), "+r"(d[104]), "+r"(d[105]), "+r"(d[106]), "+r"(d[107]), "+r"(d[108]), "+r"(d[109]), "+r"(d[110]), "+r"(d[111])
#define WGMMA_I112 "+r"(d[112]), "+r"(d[113]), "+r"(d[114]), "+r"(d[115]), "+r"(d[116]), "+r"(d[117]), "+r"(d[118]), "+r"(d[119]), "+r"(d[120]), "+r"(d[121]), "+r"(d[122]), "+r"(d[123]), "+r"(d[124]), "+r"(d[125]), "+r"(d[126]), "+r"(d[127])
#define WGMMA_8BIT(Element, Sum, N, types, flags, registers, predicate, a_at, b_at, ...) \
  template <> struct Wgmma<Element, N> { \
    template <Major OfA, Major OfB> \
    static KERNEL_DEVICE void shared(Sum (&d)[N / 2], std::uint64_t a, std::uint64_t b, int accumulate) { \
      static_assert(OfA == Major::k && OfB == Major::k); \
      asm volatile("{.reg .pred p; setp.ne.b32 p, " predicate ", 0; wgmma.mma_async.sync.aligned.m64n" #N "k32." types " {" \
        registers "}, " a_at ", " b_at ", p" flags ";}" \
        : __VA_ARGS__ : "l"(a), "l"(b), "r"(accumulate) : "memory"); } \
  };
WGMMA_8BIT(I8, std::int32_t, 64, "s32.s8.s8", "", WGMMA_R0 ", " WGMMA_R16, "%34", "%32", "%33", WGMMA_I0, WGMMA_I16)
WGMMA_8BIT(I8, std::int32_t, 128, "s32.s8.s8", "", WGMMA_R0 ", " WGMMA_R16 ", " WGMMA_R32 ", " WGMMA_R48, "%66", "%64", "%65", WGMMA_I0, WGMMA_I16, WGMMA_I32, WGMMA_I48)
WGMMA_8BIT(I8, std::int32_t, 256, "s32.s8.s8", "", WGMMA_R0 ", " WGMMA_R16 ", " WGMMA_R32 ", " WGMMA_R48 ", " WGMMA_R64 ", " WGMMA_R80 ", " WGMMA_R96 ", " WGMMA_R112, "%130", "%128", "%129", WGMMA_I0, WGMMA_I16, WGMMA_I32, WGMMA_I48, WGMMA_I64, WGMMA_I80, WGMMA_I96, WGMMA_I112)
WGMMA_8BIT(E4M3, float, 64, "f32.e4m3.e4m3", ", 1, 1", WGMMA_R0 ", " WGMMA_R16, "%34", "%32", "%33", WGMMA_D0, WGMMA_D16)
WGMMA_8BIT(E4M3, float, 128, "f32.e4m3.e4m3", ", 1, 1", WGMMA_R0 ", " WGMMA_R16 ", " WGMMA_R32 ", " WGMMA_R48, "%66", "%64", "%65", WGMMA_D0, WGMMA_D16, WGMMA_D32, WGMMA_D48)
WGMMA_8BIT(E4M3, float, 256, "f32.e4m3.e4m3", ", 1, 1", WGMMA_R0 ", " WGMMA_R16 ", " WGMMA_R32 ", " WGMMA_R48 ", " WGMMA_R64 ", " WGMMA_R80 ", " WGMMA_R96 ", " WGMMA_R112, "%130", "%128", "%129", WGMMA_D0, WGMMA_D16, WGMMA_D32, WGMMA_D48, WGMMA_D64, WGMMA_D80, WGMMA_D96, WGMMA_D112)
// clang-format on

}  // namespace ptx

#endif
