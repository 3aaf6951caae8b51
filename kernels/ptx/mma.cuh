// The instructions of compute capability 8.0 that feed and run the Tensor Cores: cp.async, ldmatrix and
// mma.sync, one function each and nothing more. All threads of a warp call the functions that move
// fragments together. The emulator's counterparts are in tests/emulate/mma.h.
#pragma once

#include "kernels/ptx/device.cuh"

#ifndef __CUDACC__
#include <emulate/mma.h>
#else

namespace ptx {

// Shared memory has 32-bit addresses of its own.
KERNEL_DEVICE std::uint32_t shared_address(const void* pointer) {
  return static_cast<std::uint32_t>(__cvta_generic_to_shared(pointer));
}

// Copies `bytes` (0 to 16) from global memory and fills the rest of 16 with zeros, past the L1 cache,
// asynchronously. Both addresses are multiples of 16.
KERNEL_DEVICE void cp_async_16(std::uint32_t to, const void* from, int bytes = 16) {
  asm volatile("cp.async.cg.shared.global [%0], [%1], 16, %2;" ::"r"(to), "l"(__cvta_generic_to_global(from)),
               "r"(bytes)
               : "memory");
}

// The same for 4 bytes, through the L1 cache; addresses are multiples of 4.
KERNEL_DEVICE void cp_async_4(std::uint32_t to, const void* from, int bytes = 4) {
  asm volatile("cp.async.ca.shared.global [%0], [%1], 4, %2;" ::"r"(to), "l"(__cvta_generic_to_global(from)),
               "r"(bytes)
               : "memory");
}

// Ends a group of this thread's copies; waits until at most `Pending` groups are still on their way.
KERNEL_DEVICE void cp_async_commit() {
  asm volatile("cp.async.commit_group;" ::: "memory");
}
template <int Pending>
KERNEL_DEVICE void cp_async_wait() {
  asm volatile("cp.async.wait_group %0;" ::"n"(Pending) : "memory");
}

// Four 8 x 8 matrices of 16-bit elements. Thread t gives the address of row t % 8 of matrix t / 8. It gets of
// each matrix columns 2q and 2q + 1 of row g, where g = t / 4 and q = t % 4. Transposed, it gets rows 2q and
// 2q + 1 of column g. PTX ISA, "ldmatrix".
KERNEL_DEVICE void ldmatrix_x4(std::uint32_t (&to)[4], std::uint32_t from) {
  asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0,%1,%2,%3}, [%4];"
               : "=r"(to[0]), "=r"(to[1]), "=r"(to[2]), "=r"(to[3])
               : "r"(from)
               : "memory");
}
KERNEL_DEVICE void ldmatrix_x4_transposed(std::uint32_t (&to)[4], std::uint32_t from) {
  asm volatile("ldmatrix.sync.aligned.m8n8.x4.trans.shared.b16 {%0,%1,%2,%3}, [%4];"
               : "=r"(to[0]), "=r"(to[1]), "=r"(to[2]), "=r"(to[3])
               : "r"(from)
               : "memory");
}

// d += a b on a 16 x 8 tile of depth 16. Fragments: PTX ISA, "Matrix fragments for mma.m16n8k16 with
// floating point type".
KERNEL_DEVICE void mma_m16n8k16(F16, float (&d)[4], const std::uint32_t (&a)[4],
                                const std::uint32_t (&b)[2]) {
  asm("mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%0,%1,%2,%3}, {%4,%5,%6,%7}, {%8,%9}, "
      "{%0,%1,%2,%3};"
      : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3])
      : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]), "r"(b[1]));
}
KERNEL_DEVICE void mma_m16n8k16(BF16, float (&d)[4], const std::uint32_t (&a)[4],
                                const std::uint32_t (&b)[2]) {
  asm("mma.sync.aligned.m16n8k16.row.col.f32.bf16.bf16.f32 {%0,%1,%2,%3}, {%4,%5,%6,%7}, {%8,%9}, "
      "{%0,%1,%2,%3};"
      : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3])
      : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]), "r"(b[1]));
}

// The bits of a float32 rounded to TF32 (to nearest, ties away from zero).
KERNEL_DEVICE std::uint32_t to_tf32(float value) {
  std::uint32_t bits;
  asm("cvt.rna.tf32.f32 %0, %1;" : "=r"(bits) : "f"(value));
  return bits;
}

// The same for a product, which drops the low 13 bits: one integer instruction, not a conversion. A NaN as
// arithmetic makes it stays one. Others may become infinite, where bits 12 to 22 are zeros, or zero, where
// the upper 20 bits are ones.
KERNEL_DEVICE std::uint32_t near_tf32(std::uint32_t bits) {
  return static_cast<std::uint32_t>(__viaddmax_s32(static_cast<int>(bits), 0x1000, static_cast<int>(bits)));
}

// d += a b on a 16 x 8 tile of depth 8, of TF32 bits. Fragments: PTX ISA, "mma.m16n8k8".
KERNEL_DEVICE void mma_m16n8k8_tf32(float (&d)[4], const std::uint32_t (&a)[4], const std::uint32_t (&b)[2]) {
  asm("mma.sync.aligned.m16n8k8.row.col.f32.tf32.tf32.f32 {%0,%1,%2,%3}, {%4,%5,%6,%7}, {%8,%9}, "
      "{%0,%1,%2,%3};"
      : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3])
      : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]), "r"(b[1]));
}

// Barrier `id` (1 to 15) of `threads` threads of the block, a multiple of 32: wait at it, or only arrive.
KERNEL_DEVICE void named_barrier_sync(int id, int threads) {
  asm volatile("barrier.cta.sync.aligned %0, %1;" ::"r"(id), "r"(threads) : "memory");
}
KERNEL_DEVICE void named_barrier_arrive(int id, int threads) {
  asm volatile("barrier.cta.arrive.aligned %0, %1;" ::"r"(id), "r"(threads) : "memory");
}

}  // namespace ptx

#endif
