// What Hopper adds around its Tensor Cores: mbarriers, the Tensor Memory Accelerator (bulk tensor copies
// with 128-byte swizzle), stores of matrices and register reallocation. One function an instruction; wgmma
// itself is in wgmma.cuh. The emulator's counterparts are in tests/emulate/hopper.h.
//
// TensorMap describes a tensor in global memory to the copy engine; the host makes it (tensor_map.cuh) and
// passes it as a `const __grid_constant__` kernel parameter.
#pragma once

#include "kernels/ptx/mma.cuh"

namespace ptx {

// A tensor of up to four dimensions in global memory, the contiguous one first, and the box that a copy
// moves. Extents in elements, at least 1; strides in bytes, multiples of 16 (that of dimension 0 is the
// element's size and not given). With 128-byte swizzle a box is 128 bytes wide at most: 16-byte piece p of
// the box's row r lies in place p ^ (r % 8) if the box starts at a multiple of 1024 bytes.
struct TensorLayout {
  int dimensions = 2;
  std::uint64_t extents[4] = {1, 1, 1, 1};
  std::uint64_t strides[4] = {0, 0, 0, 0};
  std::uint32_t box[4] = {1, 1, 1, 1};
  bool swizzled = true;
};

}  // namespace ptx

#ifndef __CUDACC__
#include <emulate/hopper.h>
#define KERNEL_HAS_TMA 1
#else

// Kernels that use the copy engine and mbarriers, but not wgmma, stand in `if constexpr (KERNEL_HAS_TMA)`. On
// the host it says whether this build has code with them for a device of compute capability 9.0.
#ifdef __CUDA_ARCH__
#define KERNEL_HAS_TMA (__CUDA_ARCH__ >= 900)
#else
namespace ptx {
constexpr bool is_built_for_hopper() {
  for (const int architecture : {__CUDA_ARCH_LIST__})
    if (architecture == 900) return true;
  return false;
}
}  // namespace ptx
#define KERNEL_HAS_TMA (::ptx::is_built_for_hopper())
#endif

#ifndef __CUDACC_RTC__
#include <cuda.h>
#endif

namespace ptx {

using TensorMap = CUtensorMap;

// An mbarrier is 8 bytes of shared memory, 8-byte aligned, initialised by one thread for `arrivals` arrivals
// a phase. The fence makes the initialisation visible to the copy engine; a block barrier follows it.
KERNEL_DEVICE void mbarrier_init(std::uint32_t barrier, int arrivals) {
  asm volatile("mbarrier.init.shared::cta.b64 [%0], %1;" ::"r"(barrier), "r"(arrivals) : "memory");
}
KERNEL_DEVICE void fence_mbarrier_init() {
  asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory");
}

KERNEL_DEVICE void mbarrier_arrive(std::uint32_t barrier) {
  asm volatile("mbarrier.arrive.shared::cta.b64 _, [%0];" ::"r"(barrier) : "memory");
}

// Arrives, and makes the phase wait for `bytes` of bulk copies as well.
KERNEL_DEVICE void mbarrier_arrive_expect(std::uint32_t barrier, int bytes) {
  asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;" ::"r"(barrier), "r"(bytes)
               : "memory");
}

// Waits until the phase of parity `parity` is complete: 0 for the first, 1 for the second, 0 for the third.
// A fresh barrier counts as having completed a phase of parity 1.
KERNEL_DEVICE void mbarrier_wait(std::uint32_t barrier, int parity) {
  asm volatile(
      "{\n"
      ".reg .pred done;\n"
      "again:\n"
      "mbarrier.try_wait.parity.shared::cta.b64 done, [%0], %1;\n"
      "@done bra over;\n"  // not .uni: nobody promises that all lanes see the phase end at the same try
      "bra again;\n"
      "over:\n"
      "}" ::"r"(barrier),
      "r"(parity)
      : "memory");
}

// Orders this thread's ordinary accesses to shared memory before later ones by wgmma or the copy engine.
KERNEL_DEVICE void fence_proxy_async() {
  asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
}

KERNEL_DEVICE void prefetch_tensor_map(const TensorMap* map) {
  asm volatile("prefetch.tensormap [%0];" ::"l"(map) : "memory");
}

// Copies the box at element (x, y[, z[, w]]), x the fastest dimension, to shared memory; zeros where it
// reaches past the tensor. The barrier's phase gets the bytes of the whole box. One thread calls it.
KERNEL_DEVICE void tma_load_2d(std::uint32_t to, const TensorMap* map, int x, int y, std::uint32_t barrier) {
  asm volatile(
      "cp.async.bulk.tensor.2d.shared::cluster.global.tile.mbarrier::complete_tx::bytes [%0], [%1, {%3, "
      "%4}], [%2];" ::"r"(to),
      "l"(map), "r"(barrier), "r"(x), "r"(y)
      : "memory");
}
KERNEL_DEVICE void tma_load_3d(std::uint32_t to, const TensorMap* map, int x, int y, int z,
                               std::uint32_t barrier) {
  asm volatile(
      "cp.async.bulk.tensor.3d.shared::cluster.global.tile.mbarrier::complete_tx::bytes [%0], [%1, {%3, %4, "
      "%5}], "
      "[%2];" ::"r"(to),
      "l"(map), "r"(barrier), "r"(x), "r"(y), "r"(z)
      : "memory");
}
KERNEL_DEVICE void tma_load_4d(std::uint32_t to, const TensorMap* map, int x, int y, int z, int w,
                               std::uint32_t barrier) {
  asm volatile(
      "cp.async.bulk.tensor.4d.shared::cluster.global.tile.mbarrier::complete_tx::bytes [%0], [%1, {%3, %4, "
      "%5, "
      "%6}], [%2];" ::"r"(to),
      "l"(map), "r"(barrier), "r"(x), "r"(y), "r"(z), "r"(w)
      : "memory");
}

// Stores four 8 x 8 matrices of 16-bit elements, ldmatrix_x4 the other way round: thread t gives the address
// of row t % 8 of matrix t / 8. It holds of each matrix columns 2q and 2q + 1 of row g, where g = t / 4 and q
// = t % 4. PTX ISA, "stmatrix".
KERNEL_DEVICE void stmatrix_x4(std::uint32_t to, const std::uint32_t (&from)[4]) {
  asm volatile("stmatrix.sync.aligned.m8n8.x4.shared.b16 [%0], {%1,%2,%3,%4};" ::"r"(to), "r"(from[0]),
               "r"(from[1]), "r"(from[2]), "r"(from[3])
               : "memory");
}

// The same, each matrix transposed: the thread holds of it rows 2q and 2q + 1 of column g, which are
// neighbours in its registers.
KERNEL_DEVICE void stmatrix_x4_transposed(std::uint32_t to, const std::uint32_t (&from)[4]) {
  asm volatile("stmatrix.sync.aligned.m8n8.x4.trans.shared.b16 [%0], {%1,%2,%3,%4};" ::"r"(to), "r"(from[0]),
               "r"(from[1]), "r"(from[2]), "r"(from[3])
               : "memory");
}

// The other way; what lies past the tensor is not written. The writes to shared memory before it need
// fence_proxy_async() by each writer and a barrier.
KERNEL_DEVICE void tma_store_2d(const TensorMap* map, int x, int y, std::uint32_t from) {
  asm volatile("cp.async.bulk.tensor.2d.global.shared::cta.tile.bulk_group [%0, {%2, %3}], [%1];" ::"l"(map),
               "r"(from), "r"(x), "r"(y)
               : "memory");
}
KERNEL_DEVICE void tma_store_3d(const TensorMap* map, int x, int y, int z, std::uint32_t from) {
  asm volatile(
      "cp.async.bulk.tensor.3d.global.shared::cta.tile.bulk_group [%0, {%2, %3, %4}], [%1];" ::"l"(map),
      "r"(from), "r"(x), "r"(y), "r"(z)
      : "memory");
}

// Ends a group of this thread's stores; waits until at most `Pending` groups still read shared memory.
KERNEL_DEVICE void tma_store_commit() {
  asm volatile("cp.async.bulk.commit_group;" ::: "memory");
}
template <int Pending>
KERNEL_DEVICE void tma_store_wait() {
  asm volatile("cp.async.bulk.wait_group.read %0;" ::"n"(Pending) : "memory");
}

// Registers of each thread of a warp from here on: a multiple of 8, and all warps of a warpgroup must agree.
template <int Registers>
KERNEL_DEVICE void take_registers() {
  asm volatile("setmaxnreg.inc.sync.aligned.u32 %0;" ::"n"(Registers));
}
template <int Registers>
KERNEL_DEVICE void give_registers() {
  asm volatile("setmaxnreg.dec.sync.aligned.u32 %0;" ::"n"(Registers));
}

}  // namespace ptx

#endif
