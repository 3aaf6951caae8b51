// OwnKernel: what the CUDA variants of our own have in common on the host: the case's shape, the arguments
// of its kernels, and a checked launch.
#pragma once

#include <cuda_runtime.h>

#include <algorithm>
#include <string>

#include "harness/sdk/registry.h"
#include "kernels/attention/attention.h"
#include "kernels/attention/device_arguments.cuh"
#include "kernels/launch.cuh"

namespace attention {

constexpr unsigned blocks_of(std::int64_t extent, std::int64_t block) {
  return static_cast<unsigned>((extent + block - 1) / block);
}

class OwnKernel : public harness::sdk::Kernel {
 public:
  explicit OwnKernel(const harness::sdk::Params& params) : shape_(shape_of(params)) {
    require_device_extents(shape_);
    problem_.sequence = static_cast<int>(shape_.sequence);
    problem_.dimension = static_cast<int>(shape_.dimension);
    problem_.causal = shape_.causal ? 1 : 0;
    constexpr double log2_of_e = 1.44269504088896340736;
    problem_.scale2 = static_cast<float>(shape_.scale() * log2_of_e);
  }

  void bind(const harness::sdk::Buffers& buffers) override {
    problem_.q = buffers.as<std::uint16_t>(q_index);
    problem_.k = buffers.as<std::uint16_t>(k_index);
    problem_.v = buffers.as<std::uint16_t>(v_index);
    problem_.o = buffers.as<std::uint16_t>(o_index);
  }

 protected:
  [[nodiscard]] bool is_f16() const { return shape_.dtype == harness::sdk::DType::f16; }
  [[nodiscard]] unsigned matrices() const { return static_cast<unsigned>(shape_.matrices()); }

  void require_dimension_up_to(std::int64_t most) const {
    if (shape_.dimension > most)
      throw harness::sdk::Unsupported("keeps a row in registers: d must be at most " + std::to_string(most) +
                                      "; this case has d = " + std::to_string(shape_.dimension));
  }

  // Mma instructions on 16-bit types, asynchronous copies.
  static void require_compute_capability(const harness::sdk::DeviceTraits& traits, int major) {
    if (traits.compute_major < major)
      throw harness::sdk::Unsupported("needs compute capability " + std::to_string(major) +
                                      ".0 or newer; this device has " + std::to_string(traits.compute_major) +
                                      "." + std::to_string(traits.compute_minor));
  }

  static cudaStream_t queue_of(harness::sdk::Stream stream) {
    return static_cast<cudaStream_t>(stream.handle);
  }

  Shape shape_;
  Arguments problem_;
};

}  // namespace attention
