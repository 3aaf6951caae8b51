// Slower: makes a kernel last HARNESS_SLOWER percent longer than it would, for builds that a gate must find
// slower. Nothing at all in other builds.
#pragma once

#include "kernels/slower.h"

namespace kernels {

#if HARNESS_IS_SLOWER
// When a kernel's first block began and its last one ended, and how many blocks have ended. A file has one
// such state, so its kernels must not overlap: they run on one stream.
struct SlowerState {
  unsigned long long begin = ~0ULL;  // ns of the global timer
  unsigned long long end = 0;        // the same, of the blocks that have ended
  unsigned ended = 0;
};
static __device__ SlowerState slower_state;

// Lives as long as its block's work. The block with the last index waits for all others, and then for the
// kernel's share of the time since the first block began. If each block waited for a share of its own time,
// other blocks would run meanwhile, and the kernel would lose less than that share. The global timer of an
// H200 advances in steps of 32 ns.
class Slower {
 public:
  __device__ Slower() {
#ifdef __CUDA_ARCH__
    if (is_first_thread()) atomicMin(&slower_state.begin, now());
#endif
  }
  __device__ ~Slower() {
#ifdef __CUDA_ARCH__
    if (!is_first_thread()) return;
    atomicMax(&slower_state.end, now());
    if (block() + 1 < blocks()) {
      atomicAdd(&slower_state.ended, 1U);
      return;
    }
    const volatile SlowerState& seen = slower_state;
    while (seen.ended + 1 < blocks()) {
    }
    // An end may arrive after its count, so it is read again.
    while (static_cast<double>(now() - seen.begin) <
           static_cast<double>(seen.end - seen.begin) * (1 + slower_percent / 100)) {
    }
    slower_state = SlowerState{};
#endif
  }
  Slower(const Slower&) = delete;
  Slower& operator=(const Slower&) = delete;

 private:
#ifdef __CUDA_ARCH__
  __device__ static bool is_first_thread() {
    return threadIdx.x + threadIdx.y + threadIdx.z == 0;
  }
  __device__ static unsigned blocks() {
    return gridDim.x * gridDim.y * gridDim.z;
  }
  __device__ static unsigned block() {
    return blockIdx.x + gridDim.x * (blockIdx.y + gridDim.y * blockIdx.z);
  }
  __device__ static unsigned long long now() {
    unsigned long long ns;
    asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(ns));
    return ns;
  }
#endif
};
#define KERNEL_SLOWER const ::kernels::Slower slower
#else
#define KERNEL_SLOWER static_cast<void>(0)
#endif

}  // namespace kernels
