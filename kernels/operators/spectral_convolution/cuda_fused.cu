// spectral_convolution/fused: three launches. Planes are read and written once, and only the frequencies that
// are kept lie in memory between.
#include <cuda_runtime.h>

#include "harness/sdk/registry.h"
#include "kernels/launch.cuh"
#include "kernels/operators/spectral_convolution/spectral_launches.cuh"

namespace operators::spectral {
namespace {

class FusedSpectral final : public harness::sdk::Kernel {
 public:
  FusedSpectral(const harness::sdk::Params& params, const harness::sdk::Problem&,
                const harness::sdk::DeviceTraits& traits)
      : shape_(require_launchable(shape_of(params))) {
    kernels::allow_shared_memory(&mix_kernel<kept_frequencies>, mix_shared_bytes, traits);
  }

  [[nodiscard]] std::size_t workspace_bytes() const override {
    return 2 * static_cast<std::size_t>(kept_numbers()) * sizeof(float2);
  }

  void bind(const harness::sdk::Buffers& buffers) override {
    x_ = buffers.as<float>(x_index);
    w_ = buffers.as<float>(w_index);
    y_ = buffers.as<float>(y_index);
    kept_ = static_cast<float2*>(buffers.workspace);
  }

  void run(harness::sdk::Stream stream) override {
    const auto launch = [queue = static_cast<cudaStream_t>(stream.handle)](auto* kernel, dim3 blocks,
                                                                           dim3 threads, std::size_t bytes,
                                                                           const auto&... arguments) {
      kernel<<<blocks, threads, bytes, queue>>>(arguments...);
      kernels::check(cudaGetLastError(), "launch of a kernel of the spectral convolution");
    };
    if (shape_.side == 64)
      launch_spectral<64>(shape_, x_, w_, y_, kept_, kept_ + kept_numbers(), launch);
    else
      launch_spectral<128>(shape_, x_, w_, y_, kept_, kept_ + kept_numbers(), launch);
  }

 private:
  [[nodiscard]] std::int64_t kept_numbers() const { return shape_.planes() * shape_.frequencies(); }

  Shape shape_;
  const float* x_ = nullptr;
  const float* w_ = nullptr;
  float* y_ = nullptr;
  float2* kept_ = nullptr;
};

}  // namespace
}  // namespace operators::spectral

HARNESS_VARIANT(spectral_convolution, fused, cuda,
                "own transforms, a plane a block, from and to the frequencies that are kept",
                operators::spectral::FusedSpectral)
