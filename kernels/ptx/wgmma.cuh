// wgmma: products of a warpgroup (four warps, the first a multiple of four) on Hopper's Tensor Cores, and
// the descriptors by which they find their operands in shared memory. One function an instruction; needs
// sm_90a. The emulator's counterparts are in tests/emulate/wgmma.h.
//
// D (float32, in registers) is 64 x N, A 64 x 16 and B 16 x N of 16-bit elements (depth 8 for TF32). Thread t
// of warp w of the warpgroup holds
//   d[i] = D(16w + t / 4 + 8 (i / 2 % 2), 8 (i / 4) + 2 (t % 4) + i % 2)
// where t is its number in the warp. A in registers is as in mma.m16n8k16, rows 16w on. PTX ISA,
// "Asynchronous Warpgroup Level Matrix Multiply-Accumulate Instructions".
#pragma once

#include "kernels/ptx/hopper.cuh"

namespace ptx {

// The index of an operand that is contiguous in shared memory: k, or the other one (m of A, n of B).
enum class Major { k = 0, mn = 1 };

// Describes an operand in shared memory with 128-byte swizzle, as the copy engine leaves a box of 128-byte
// rows: 16-byte piece p of row r lies in place p ^ (r % 8). `address` is where the operand starts, with the
// pattern repeating at multiples of 1024 bytes. PTX ISA, "Matrix descriptor"; distances in bytes:
//   Major::k    128-byte rows of k; `stride` from 8 rows to the next 8; `leading` is not used
//   Major::mn   128-byte rows of m or n, one a k; `stride` from 8 k to the next 8, `leading` from 64 elements
//               of m or n to the next 64
KERNEL_DEVICE std::uint64_t swizzled_descriptor(std::uint32_t address, std::uint32_t leading,
                                                std::uint32_t stride) {
  return static_cast<std::uint64_t>((address & 0x3FFFF) >> 4) |
         static_cast<std::uint64_t>((leading & 0x3FFFF) >> 4) << 16 |
         static_cast<std::uint64_t>((stride & 0x3FFFF) >> 4) << 32 | std::uint64_t{1} << 62;
}

}  // namespace ptx

#ifndef __CUDACC__
#include <emulate/wgmma.h>
#else

namespace ptx {

// Before the first product, and whenever registers that one reads or writes were touched since: orders those
// accesses. Then products, wgmma_commit() to end a group of them, and wgmma_wait<Pending>() until at most so
// many groups still run. Between issue and wait no thread may touch the registers, nor anyone the memory.
KERNEL_DEVICE void wgmma_fence() {
  asm volatile("wgmma.fence.sync.aligned;" ::: "memory");
}
KERNEL_DEVICE void wgmma_commit() {
  asm volatile("wgmma.commit_group.sync.aligned;" ::: "memory");
}
template <int Pending>
KERNEL_DEVICE void wgmma_wait() {
  asm volatile("wgmma.wait_group.sync.aligned %0;" ::"n"(Pending) : "memory");
}

// Keeps the compiler from moving accesses to an accumulator across this point.
template <int Count>
KERNEL_DEVICE void wgmma_pin(float (&d)[Count]) {
  KERNEL_UNROLL
  for (int i = 0; i < Count; ++i) asm volatile("" : "+f"(d[i])::"memory");
}

template <int Count>
KERNEL_DEVICE void wgmma_pin(std::int32_t (&d)[Count]) {
  KERNEL_UNROLL
  for (int i = 0; i < Count; ++i) asm volatile("" : "+r"(d[i])::"memory");
}

// The same for operands in registers: to the compiler they are free again as soon as a product is issued, but
// products read them until the wait. So they are pinned after it.
template <int Count>
KERNEL_DEVICE void wgmma_pin(std::uint32_t (&a)[Count][4]) {
  KERNEL_UNROLL
  for (int i = 0; i < Count * 4; ++i) asm volatile("" : "+r"(a[i / 4][i % 4])::"memory");
}

// One instruction a shape and type: Wgmma<Element, N>::shared (A and B in shared memory) and ::registers
// (A in registers). d = a b when `accumulate` is 0, otherwise d += a b.
template <class Element, int N>
struct Wgmma;

// clang-format off
#define WGMMA_D0 "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3]), "+f"(d[4]), "+f"(d[5]), "+f"(d[6]), "+f"(d[7]), "+f"(d[8]), "+f"(d[9]), "+f"(d[10]), "+f"(d[11]), "+f"(d[12]), "+f"(d[13]), "+f"(d[14]), "+f"(d[15])
#define WGMMA_D16 "+f"(d[16]), "+f"(d[17]), "+f"(d[18]), "+f"(d[19]), "+f"(d[20]), "+f"(d[21]), "+f"(d[22]), "+f"(d[23]), "+f"(d[24]), "+f"(d[25]), "+f"(d[26]), "+f"(d[27]), "+f"(d[28]), "+f"(d[29]), "+f"(d[30]), "+f"(d[31])
#define WGMMA_D32 "+f"(d[32]), "+f"(d[33]), "+f"(d[34]), "+f"(d[35]), "+f"(d[36]), "+f"(d[37]), "+f"(d[38]), "+f"(d[39]), "+f"(d[40]), "+f"(d[41]), "+f"(d[42]), "+f"(d[43]), "+f"(d[44]), "+f"(d[45]), "+f"(d[46]), "+f"(d[47])
#define WGMMA_D48 "+f"(d[48]), "+f"(d[49]), "+f"(d[50]), "+f"(d[51]), "+f"(d[52]), "+f"(d[53]), "+f"(d[54]), "+f"(d[55]), "+f"(d[56]), "+f"(d[57]), "+f"(d[58]), "+f"(d[59]), "+f"(d[60]), "+f"(d[61]), "+f"(d[62]), "+f"(d[63])
#define WGMMA_D64 "+f"(d[64]), "+f"(d[65]), "+f"(d[66]), "+f"(d[67]), "+f"(d[68]), "+f"(d[69]), "+f"(d[70]), "+f"(d[71]), "+f"(d[72]), "+f"(d[73]), "+f"(d[74]), "+f"(d[75]), "+f"(d[76]), "+f"(d[77]), "+f"(d[78]), "+f"(d[79])
#define WGMMA_D80 "+f"(d[80]), "+f"(d[81]), "+f"(d[82]), "+f"(d[83]), "+f"(d[84]), "+f"(d[85]), "+f"(d[86]), "+f"(d[87]), "+f"(d[88]), "+f"(d[89]), "+f"(d[90]), "+f"(d[91]), "+f"(d[92]), "+f"(d[93]), "+f"(d[94]), "+f"(d[95])
#define WGMMA_D96 "+f"(d[96]), "+f"(d[97]), "+f"(d[98]), "+f"(d[99]), "+f"(d[100]), "+f"(d[101]), "+f"(d[102]), "+f"(d[103]), "+f"(d[104]), "+f"(d[105]), "+f"(d[106]), "+f"(d[107]), "+f"(d[108]), "+f"(d[109]), "+f"(d[110]), "+f"(d[111])
#define WGMMA_D112 "+f"(d[112]), "+f"(d[113]), "+f"(d[114]), "+f"(d[115]), "+f"(d[116]), "+f"(d[117]), "+f"(d[118]), "+f"(d[119]), "+f"(d[120]), "+f"(d[121]), "+f"(d[122]), "+f"(d[123]), "+f"(d[124]), "+f"(d[125]), "+f"(d[126]), "+f"(d[127])
#define WGMMA_R0 "%0, %1, %2, %3, %4, %5, %6, %7, %8, %9, %10, %11, %12, %13, %14, %15"
#define WGMMA_R16 "%16, %17, %18, %19, %20, %21, %22, %23, %24, %25, %26, %27, %28, %29, %30, %31"
#define WGMMA_R32 "%32, %33, %34, %35, %36, %37, %38, %39, %40, %41, %42, %43, %44, %45, %46, %47"
#define WGMMA_R48 "%48, %49, %50, %51, %52, %53, %54, %55, %56, %57, %58, %59, %60, %61, %62, %63"
#define WGMMA_R64 "%64, %65, %66, %67, %68, %69, %70, %71, %72, %73, %74, %75, %76, %77, %78, %79"
#define WGMMA_R80 "%80, %81, %82, %83, %84, %85, %86, %87, %88, %89, %90, %91, %92, %93, %94, %95"
#define WGMMA_R96 "%96, %97, %98, %99, %100, %101, %102, %103, %104, %105, %106, %107, %108, %109, %110, %111"
#define WGMMA_R112 "%112, %113, %114, %115, %116, %117, %118, %119, %120, %121, %122, %123, %124, %125, %126, %127"
#define WGMMA_COMMA ,
#define WGMMA_SHARED_32(type, depth, transposes, immediates) \
  asm volatile("{.reg .pred p; setp.ne.b32 p, %18, 0; wgmma.mma_async.sync.aligned.m64n32k" depth ".f32." type "." type " {" \
    WGMMA_R0 "}, %16, %17, p, 1, 1" transposes ";}" \
    : WGMMA_D0 : "l"(a), "l"(b), "r"(accumulate) immediates : "memory")
#define WGMMA_REGISTERS_32(type, depth, transposes, immediates) \
  asm volatile("{.reg .pred p; setp.ne.b32 p, %21, 0; wgmma.mma_async.sync.aligned.m64n32k" depth ".f32." type "." type " {" \
    WGMMA_R0 "}, {%16, %17, %18, %19}, %20, p, 1, 1" transposes ";}" \
    : WGMMA_D0 : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "l"(b), "r"(accumulate) immediates : "memory")
#define WGMMA_SHAPE_32(Element, type) \
  template <> struct Wgmma<Element, 32> { \
    template <Major OfA, Major OfB> \
    static KERNEL_DEVICE void shared(float (&d)[16], std::uint64_t a, std::uint64_t b, int accumulate) { \
      WGMMA_SHARED_32(type, "16", ", %19, %20", WGMMA_COMMA "n"(static_cast<int>(OfA)) WGMMA_COMMA "n"(static_cast<int>(OfB))); } \
    template <Major OfB> \
    static KERNEL_DEVICE void registers(float (&d)[16], const std::uint32_t (&a)[4], std::uint64_t b, int accumulate) { \
      WGMMA_REGISTERS_32(type, "16", ", %22", WGMMA_COMMA "n"(static_cast<int>(OfB))); } \
  };
WGMMA_SHAPE_32(F16, "f16")
WGMMA_SHAPE_32(BF16, "bf16")
#define WGMMA_SHARED_64(type, depth, transposes, immediates) \
  asm volatile("{.reg .pred p; setp.ne.b32 p, %34, 0; wgmma.mma_async.sync.aligned.m64n64k" depth ".f32." type "." type " {" \
    WGMMA_R0 ", " WGMMA_R16 "}, %32, %33, p, 1, 1" transposes ";}" \
    : WGMMA_D0, WGMMA_D16 : "l"(a), "l"(b), "r"(accumulate) immediates : "memory")
#define WGMMA_REGISTERS_64(type, depth, transposes, immediates) \
  asm volatile("{.reg .pred p; setp.ne.b32 p, %37, 0; wgmma.mma_async.sync.aligned.m64n64k" depth ".f32." type "." type " {" \
    WGMMA_R0 ", " WGMMA_R16 "}, {%32, %33, %34, %35}, %36, p, 1, 1" transposes ";}" \
    : WGMMA_D0, WGMMA_D16 : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "l"(b), "r"(accumulate) immediates : "memory")
#define WGMMA_SHAPE_64(Element, type) \
  template <> struct Wgmma<Element, 64> { \
    template <Major OfA, Major OfB> \
    static KERNEL_DEVICE void shared(float (&d)[32], std::uint64_t a, std::uint64_t b, int accumulate) { \
      WGMMA_SHARED_64(type, "16", ", %35, %36", WGMMA_COMMA "n"(static_cast<int>(OfA)) WGMMA_COMMA "n"(static_cast<int>(OfB))); } \
    template <Major OfB> \
    static KERNEL_DEVICE void registers(float (&d)[32], const std::uint32_t (&a)[4], std::uint64_t b, int accumulate) { \
      WGMMA_REGISTERS_64(type, "16", ", %38", WGMMA_COMMA "n"(static_cast<int>(OfB))); } \
  };
WGMMA_SHAPE_64(F16, "f16")
WGMMA_SHAPE_64(BF16, "bf16")
#define WGMMA_SHARED_128(type, depth, transposes, immediates) \
  asm volatile("{.reg .pred p; setp.ne.b32 p, %66, 0; wgmma.mma_async.sync.aligned.m64n128k" depth ".f32." type "." type " {" \
    WGMMA_R0 ", " WGMMA_R16 ", " WGMMA_R32 ", " WGMMA_R48 "}, %64, %65, p, 1, 1" transposes ";}" \
    : WGMMA_D0, WGMMA_D16, WGMMA_D32, WGMMA_D48 : "l"(a), "l"(b), "r"(accumulate) immediates : "memory")
#define WGMMA_REGISTERS_128(type, depth, transposes, immediates) \
  asm volatile("{.reg .pred p; setp.ne.b32 p, %69, 0; wgmma.mma_async.sync.aligned.m64n128k" depth ".f32." type "." type " {" \
    WGMMA_R0 ", " WGMMA_R16 ", " WGMMA_R32 ", " WGMMA_R48 "}, {%64, %65, %66, %67}, %68, p, 1, 1" transposes ";}" \
    : WGMMA_D0, WGMMA_D16, WGMMA_D32, WGMMA_D48 : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "l"(b), "r"(accumulate) immediates : "memory")
#define WGMMA_SHAPE_128(Element, type) \
  template <> struct Wgmma<Element, 128> { \
    template <Major OfA, Major OfB> \
    static KERNEL_DEVICE void shared(float (&d)[64], std::uint64_t a, std::uint64_t b, int accumulate) { \
      WGMMA_SHARED_128(type, "16", ", %67, %68", WGMMA_COMMA "n"(static_cast<int>(OfA)) WGMMA_COMMA "n"(static_cast<int>(OfB))); } \
    template <Major OfB> \
    static KERNEL_DEVICE void registers(float (&d)[64], const std::uint32_t (&a)[4], std::uint64_t b, int accumulate) { \
      WGMMA_REGISTERS_128(type, "16", ", %70", WGMMA_COMMA "n"(static_cast<int>(OfB))); } \
  };
WGMMA_SHAPE_128(F16, "f16")
WGMMA_SHAPE_128(BF16, "bf16")
#define WGMMA_SHARED_192(type, depth, transposes, immediates) \
  asm volatile("{.reg .pred p; setp.ne.b32 p, %98, 0; wgmma.mma_async.sync.aligned.m64n192k" depth ".f32." type "." type " {" \
    WGMMA_R0 ", " WGMMA_R16 ", " WGMMA_R32 ", " WGMMA_R48 ", " WGMMA_R64 ", " WGMMA_R80 "}, %96, %97, p, 1, 1" transposes ";}" \
    : WGMMA_D0, WGMMA_D16, WGMMA_D32, WGMMA_D48, WGMMA_D64, WGMMA_D80 : "l"(a), "l"(b), "r"(accumulate) immediates : "memory")
#define WGMMA_REGISTERS_192(type, depth, transposes, immediates) \
  asm volatile("{.reg .pred p; setp.ne.b32 p, %101, 0; wgmma.mma_async.sync.aligned.m64n192k" depth ".f32." type "." type " {" \
    WGMMA_R0 ", " WGMMA_R16 ", " WGMMA_R32 ", " WGMMA_R48 ", " WGMMA_R64 ", " WGMMA_R80 "}, {%96, %97, %98, %99}, %100, p, 1, 1" transposes ";}" \
    : WGMMA_D0, WGMMA_D16, WGMMA_D32, WGMMA_D48, WGMMA_D64, WGMMA_D80 : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "l"(b), "r"(accumulate) immediates : "memory")
#define WGMMA_SHAPE_192(Element, type) \
  template <> struct Wgmma<Element, 192> { \
    template <Major OfA, Major OfB> \
    static KERNEL_DEVICE void shared(float (&d)[96], std::uint64_t a, std::uint64_t b, int accumulate) { \
      WGMMA_SHARED_192(type, "16", ", %99, %100", WGMMA_COMMA "n"(static_cast<int>(OfA)) WGMMA_COMMA "n"(static_cast<int>(OfB))); } \
    template <Major OfB> \
    static KERNEL_DEVICE void registers(float (&d)[96], const std::uint32_t (&a)[4], std::uint64_t b, int accumulate) { \
      WGMMA_REGISTERS_192(type, "16", ", %102", WGMMA_COMMA "n"(static_cast<int>(OfB))); } \
  };
WGMMA_SHAPE_192(F16, "f16")
WGMMA_SHAPE_192(BF16, "bf16")
#define WGMMA_SHARED_256(type, depth, transposes, immediates) \
  asm volatile("{.reg .pred p; setp.ne.b32 p, %130, 0; wgmma.mma_async.sync.aligned.m64n256k" depth ".f32." type "." type " {" \
    WGMMA_R0 ", " WGMMA_R16 ", " WGMMA_R32 ", " WGMMA_R48 ", " WGMMA_R64 ", " WGMMA_R80 ", " WGMMA_R96 ", " WGMMA_R112 "}, %128, %129, p, 1, 1" transposes ";}" \
    : WGMMA_D0, WGMMA_D16, WGMMA_D32, WGMMA_D48, WGMMA_D64, WGMMA_D80, WGMMA_D96, WGMMA_D112 : "l"(a), "l"(b), "r"(accumulate) immediates : "memory")
#define WGMMA_REGISTERS_256(type, depth, transposes, immediates) \
  asm volatile("{.reg .pred p; setp.ne.b32 p, %133, 0; wgmma.mma_async.sync.aligned.m64n256k" depth ".f32." type "." type " {" \
    WGMMA_R0 ", " WGMMA_R16 ", " WGMMA_R32 ", " WGMMA_R48 ", " WGMMA_R64 ", " WGMMA_R80 ", " WGMMA_R96 ", " WGMMA_R112 "}, {%128, %129, %130, %131}, %132, p, 1, 1" transposes ";}" \
    : WGMMA_D0, WGMMA_D16, WGMMA_D32, WGMMA_D48, WGMMA_D64, WGMMA_D80, WGMMA_D96, WGMMA_D112 : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "l"(b), "r"(accumulate) immediates : "memory")
#define WGMMA_SHAPE_256(Element, type) \
  template <> struct Wgmma<Element, 256> { \
    template <Major OfA, Major OfB> \
    static KERNEL_DEVICE void shared(float (&d)[128], std::uint64_t a, std::uint64_t b, int accumulate) { \
      WGMMA_SHARED_256(type, "16", ", %131, %132", WGMMA_COMMA "n"(static_cast<int>(OfA)) WGMMA_COMMA "n"(static_cast<int>(OfB))); } \
    template <Major OfB> \
    static KERNEL_DEVICE void registers(float (&d)[128], const std::uint32_t (&a)[4], std::uint64_t b, int accumulate) { \
      WGMMA_REGISTERS_256(type, "16", ", %134", WGMMA_COMMA "n"(static_cast<int>(OfB))); } \
  };
WGMMA_SHAPE_256(F16, "f16")
WGMMA_SHAPE_256(BF16, "bf16")
// clang-format on

}  // namespace ptx

#endif
