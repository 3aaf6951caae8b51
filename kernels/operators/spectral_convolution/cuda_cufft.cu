// spectral_convolution/cufft: the reference. cuFFT's transforms have all frequencies in memory; those that
// are kept are taken out, multiplied by the fused variant's kernel, and put back among zeros.
#include <cuda_runtime.h>

#include <algorithm>

#include "harness/sdk/registry.h"
#include "kernels/cuda_check.cuh"
#include "kernels/operators/spectral_convolution/cufft_library.h"
#include "kernels/operators/spectral_convolution/spectral_launches.cuh"
#include "kernels/operators/spectral_convolution/spectrum_kernels.cuh"

namespace operators::spectral {
namespace {

class Cufft final : public harness::sdk::Kernel {
 public:
  Cufft(const harness::sdk::Params& params, const harness::sdk::Problem&, const harness::sdk::DeviceTraits&)
      : shape_(require_launchable(shape_of(params))),
        forward_(shape_.side, shape_.planes(), CufftLibrary::real_to_complex),
        inverse_(shape_.side, shape_.planes(), CufftLibrary::complex_to_real) {
    kernels::check(
        cudaFuncSetAttribute(reinterpret_cast<const void*>(&mix_kernel<kept_frequencies>),
                             cudaFuncAttributeMaxDynamicSharedMemorySize, static_cast<int>(mix_shared_bytes)),
        "cudaFuncSetAttribute");
  }

  [[nodiscard]] std::size_t workspace_bytes() const override {
    return (all_numbers() + 2 * kept_numbers()) * sizeof(float2) +
           std::max(forward_.workspace_bytes(), inverse_.workspace_bytes()) + 256;
  }

  void bind(const harness::sdk::Buffers& buffers) override {
    x_ = buffers.as<float>(x_index);
    w_ = buffers.as<float>(w_index);
    y_ = buffers.as<float>(y_index);
    kept_ = static_cast<float2*>(buffers.workspace);
    mixed_ = kept_ + kept_numbers();
    spectrum_ = mixed_ + kept_numbers();
    const std::size_t used = (all_numbers() + 2 * kept_numbers()) * sizeof(float2);
    void* const work_area = static_cast<char*>(buffers.workspace) + (used + 255) / 256 * 256;
    forward_.bind(work_area);
    inverse_.bind(work_area);
  }

  void run(harness::sdk::Stream stream) override {
    const auto queue = static_cast<cudaStream_t>(stream.handle);
    const auto blocks = [](std::size_t numbers) {
      return static_cast<unsigned>((numbers + spectrum_threads - 1) / spectrum_threads);
    };
    const auto planes = static_cast<int>(shape_.planes()), side = static_cast<int>(shape_.side);
    forward_.forward(x_, spectrum_, stream.handle);
    crop_kernel<<<blocks(kept_numbers()), spectrum_threads, 0, queue>>>(spectrum_, kept_, planes, side);
    launch_mix(shape_, kept_, w_, mixed_,
               [queue](auto* kernel, dim3 grid, dim3 threads, std::size_t bytes, const auto& of) {
                 kernel<<<grid, threads, bytes, queue>>>(of);
               });
    place_kernel<<<blocks(all_numbers()), spectrum_threads, 0, queue>>>(mixed_, spectrum_, planes, side);
    kernels::check(cudaGetLastError(), "launch of a kernel of the spectral convolution");
    inverse_.inverse(spectrum_, y_, stream.handle);
  }

 private:
  [[nodiscard]] std::size_t kept_numbers() const {
    return static_cast<std::size_t>(shape_.planes() * shape_.frequencies());
  }
  [[nodiscard]] std::size_t all_numbers() const {
    return static_cast<std::size_t>(shape_.planes() * shape_.side * (shape_.side / 2 + 1));
  }

  Shape shape_;
  CufftPlan forward_, inverse_;
  const float* x_ = nullptr;
  const float* w_ = nullptr;
  float* y_ = nullptr;
  float2* kept_ = nullptr;
  float2* mixed_ = nullptr;
  float2* spectrum_ = nullptr;
};

}  // namespace
}  // namespace operators::spectral

HARNESS_VARIANT(spectral_convolution, cufft, cuda,
                "cuFFT, a product kernel, cuFFT; all frequencies in memory", operators::spectral::Cufft)
