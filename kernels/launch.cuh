// The launch of a kernel whose arguments, grid and shared memory are planned elsewhere, and whether a device
// has what it needs. Host code.
#pragma once

#include <cuda_runtime.h>

#include <string>

#include "harness/sdk/variant.h"
#include "kernels/cuda_check.cuh"

namespace kernels {

// Throws Unsupported on all devices but those of compute capability 9.0. Code for 9.0a runs nowhere else.
inline void require_hopper(const harness::sdk::DeviceTraits& traits) {
  if (traits.compute_major != 9 || traits.compute_minor != 0)
    throw harness::sdk::Unsupported("needs compute capability 9.0 exactly; this device has " +
                                    std::to_string(traits.compute_major) + "." +
                                    std::to_string(traits.compute_minor));
}

// Lets blocks of the kernel have so many bytes of shared memory. Throws Unsupported where the device has
// less.
inline void allow_shared_memory(const void* kernel, std::size_t bytes,
                                const harness::sdk::DeviceTraits& traits) {
  if (bytes > traits.shared_memory_per_block)
    throw harness::sdk::Unsupported("needs " + std::to_string(bytes) +
                                    " bytes of shared memory a block; this device has " +
                                    std::to_string(traits.shared_memory_per_block));
  check(cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, static_cast<int>(bytes)),
        "cudaFuncSetAttribute");
}
template <class... Arguments>
void allow_shared_memory(void (*kernel)(Arguments...), std::size_t bytes,
                         const harness::sdk::DeviceTraits& traits) {
  allow_shared_memory(reinterpret_cast<const void*>(kernel), bytes, traits);
}

// Where and when a kernel runs. `dependent`: its blocks may begin before the launch before it has ended.
struct LaunchPlace {
  dim3 blocks;
  dim3 threads;
  std::size_t shared_bytes = 0;
  cudaStream_t stream = nullptr;
  bool dependent = false;
};

// `kernel` takes these arguments: a function, or a kernel that was loaded at run time.
inline void launch_with(const void* kernel, const LaunchPlace& place, void** arguments) {
  cudaLaunchAttribute early = {};
  early.id = cudaLaunchAttributeProgrammaticStreamSerialization;
  early.val.programmaticStreamSerializationAllowed = 1;
  cudaLaunchConfig_t config = {};
  config.gridDim = place.blocks;
  config.blockDim = place.threads;
  config.dynamicSmemBytes = place.shared_bytes;
  config.stream = place.stream;
  config.attrs = &early;
  config.numAttrs = place.dependent ? 1 : 0;
  check(cudaLaunchKernelExC(&config, kernel, arguments), "cudaLaunchKernelExC");
}

template <class... Arguments>
void launch(const void* kernel, const LaunchPlace& place, const Arguments&... arguments) {
  void* addresses[] = {const_cast<void*>(static_cast<const void*>(&arguments))...};
  launch_with(kernel, place, addresses);
}

}  // namespace kernels
