// probe_copy/float4: 16 bytes a thread and step, as many blocks as are resident at once, which stride through
// the array. The up to three elements after the last whole 16 bytes go one by one.
#include <cuda_runtime.h>

#include <algorithm>
#include <cstdint>

#include "harness/sdk/registry.h"
#include "kernels/cuda_check.cuh"

namespace probe {
namespace {

constexpr int threads = 256;
constexpr int blocks_per_multiprocessor = 8;  // 2048 threads, all that a multiprocessor holds

__global__ void __launch_bounds__(threads) copy_kernel(const float* x, float* y, std::int64_t n) {
  const std::int64_t whole = n / 4;
  const std::int64_t step = static_cast<std::int64_t>(gridDim.x) * threads;
  const std::int64_t mine = static_cast<std::int64_t>(blockIdx.x) * threads + threadIdx.x;
  for (std::int64_t i = mine; i < whole; i += step)
    reinterpret_cast<float4*>(y)[i] = reinterpret_cast<const float4*>(x)[i];
  if (mine < n - whole * 4) y[whole * 4 + mine] = x[whole * 4 + mine];
}

class Float4 final : public harness::sdk::Kernel {
 public:
  Float4(const harness::sdk::Params& params, const harness::sdk::Problem&,
         const harness::sdk::DeviceTraits& traits)
      : n_(params.integer("n")) {
    const std::int64_t resident =
        std::int64_t{blocks_per_multiprocessor} * std::max(1, traits.multiprocessors);
    const std::int64_t needed = (n_ / 4 + threads - 1) / threads;
    blocks_ = static_cast<unsigned>(std::clamp<std::int64_t>(needed, 1, resident));
  }

  void bind(const harness::sdk::Buffers& buffers) override {
    x_ = buffers.as<float>(0);
    y_ = buffers.as<float>(1);
  }
  void run(harness::sdk::Stream stream) override {
    copy_kernel<<<blocks_, threads, 0, static_cast<cudaStream_t>(stream.handle)>>>(x_, y_, n_);
    kernels::check(cudaGetLastError(), "launch of copy_kernel");
  }

 private:
  std::int64_t n_;
  unsigned blocks_ = 1;
  const float* x_ = nullptr;
  float* y_ = nullptr;
};

}  // namespace
}  // namespace probe

HARNESS_VARIANT(probe_copy, float4, cuda, "a resident grid strides through the array in 16-byte steps",
                probe::Float4)
