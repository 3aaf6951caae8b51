// CudaStep: passes over the tensors as launches of adamw_kernel.
#pragma once

#include "kernels/adamw/adamw_kernel.cuh"
#include "kernels/adamw/adamw_variant.h"
#include "kernels/cuda_check.cuh"

namespace adamw {

class CudaStep {
 public:
  explicit CudaStep(const harness::sdk::DeviceTraits&) {}

  template <Part part>
  void run(const Arguments& all, harness::sdk::Stream stream) {
    constexpr std::int64_t of_block = 4 * step_threads;
    const auto blocks = static_cast<unsigned>((all.elements + of_block - 1) / of_block);
    adamw_kernel<part><<<blocks, step_threads, 0, static_cast<cudaStream_t>(stream.handle)>>>(all);
    kernels::check(cudaGetLastError(), "launch of adamw_kernel");
  }
};

}  // namespace adamw
