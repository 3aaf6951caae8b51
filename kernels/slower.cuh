// Slower: makes a block of a kernel last HARNESS_SLOWER percent longer than it would, for builds that a gate
// must find slower. Nothing at all in other builds.
#pragma once

#include "kernels/slower.h"

namespace kernels {

#if HARNESS_IS_SLOWER
// Lives as long as its block's work: each thread waits at the end for its share of the time since the start.
class Slower {
 public:
  __device__ Slower() : begin_(now()) {}
  __device__ ~Slower() {
    const long long worked = now() - begin_;
    const auto wanted = static_cast<long long>(static_cast<double>(worked) * (1 + slower_percent / 100));
    while (now() - begin_ < wanted) {
    }
  }
  Slower(const Slower&) = delete;
  Slower& operator=(const Slower&) = delete;

 private:
  // Cycles of the multiprocessor. The host compiles this class, too, and never runs it.
  __device__ static long long now() {
#ifdef __CUDA_ARCH__
    return clock64();
#else
    return 0;
#endif
  }

  long long begin_;
};
#define KERNEL_SLOWER const ::kernels::Slower slower
#else
#define KERNEL_SLOWER static_cast<void>(0)
#endif

}  // namespace kernels
