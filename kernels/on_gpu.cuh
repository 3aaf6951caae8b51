// OnGpu: makes another GPU current for a while. Variants that use several GPUs use it around what they create
// and launch there. Host code; the thread's current GPU is its own.
#pragma once

#include <cuda_runtime.h>

#include <cstddef>
#include <memory>
#include <utility>
#include <vector>

#include "harness/sdk/variant.h"
#include "kernels/cuda_check.cuh"

namespace kernels {

class OnGpu {
 public:
  explicit OnGpu(int ordinal) {
    check(cudaGetDevice(&before_), "cudaGetDevice");
    check(cudaSetDevice(ordinal), "cudaSetDevice");
  }
  ~OnGpu() { (void)cudaSetDevice(before_); }
  OnGpu(const OnGpu&) = delete;
  OnGpu& operator=(const OnGpu&) = delete;

 private:
  int before_ = 0;
};

// The numbers of the GPUs of a case, the first one first.
inline std::vector<int> gpus_of(const harness::sdk::DeviceTraits& traits) {
  std::vector<int> all{traits.ordinal};
  all.insert(all.end(), traits.peers.begin(), traits.peers.end());
  return all;
}

// GPU number `gpu` of the case as a stream knows it.
inline cudaStream_t queue_on(const harness::sdk::Stream& stream, std::size_t gpu) {
  return static_cast<cudaStream_t>(stream.on(static_cast<int>(gpu)));
}

}  // namespace kernels
