// Stamps in device memory: kernels that write a block's stamp, look at it before the block is freed, and tell
// at the end what was found. StampLauncher enqueues them on a device that is its parameter, with
// launch(kernel, grid, arguments...) and zero(at, bytes).
#pragma once

#include <algorithm>

#include "harness/sdk/variant.h"
#include "kernels/allocator/allocator.h"
#include "kernels/ptx/device.cuh"

namespace allocator {

inline constexpr int stamp_threads = 256;

template <int threads>
__global__ void __launch_bounds__(threads)
    stamp_kernel(unsigned char* address, std::int64_t places, const std::int32_t* stamps, int block) {
  const std::int32_t stamp = stamps[block];
  const std::int64_t step = static_cast<std::int64_t>(gridDim.x) * threads;
  for (std::int64_t i = static_cast<std::int64_t>(blockIdx.x) * threads + threadIdx.x; i < places; i += step)
    *reinterpret_cast<std::int32_t*>(address + i * stamp_distance) = stamp;
}

// found: the word at the block's begin. broken: 1 where any word differs from the stamp.
template <int threads>
__global__ void __launch_bounds__(threads)
    look_kernel(const unsigned char* address, std::int64_t places, const std::int32_t* stamps, int block,
                std::int32_t* found, std::int32_t* broken) {
  const std::int32_t stamp = stamps[block];
  const std::int64_t step = static_cast<std::int64_t>(gridDim.x) * threads;
  for (std::int64_t i = static_cast<std::int64_t>(blockIdx.x) * threads + threadIdx.x; i < places;
       i += step) {
    const std::int32_t word = *reinterpret_cast<const std::int32_t*>(address + i * stamp_distance);
    if (i == 0) found[block] = word;
    if (word != stamp) broken[block] = 1;
  }
}

// A broken block gets a number that is not its stamp.
template <int threads>
__global__ void __launch_bounds__(threads)
    tell_kernel(const std::int32_t* stamps, std::int32_t* found, const std::int32_t* broken, int blocks) {
  const int block = static_cast<int>(blockIdx.x) * threads + static_cast<int>(threadIdx.x);
  if (block < blocks && broken[block] != 0) found[block] = ~stamps[block];
}

template <class Device>
class StampLauncher {
 public:
  StampLauncher(const harness::sdk::DeviceTraits& traits, std::size_t blocks)
      : device_(traits), blocks_(static_cast<int>(blocks)) {}

  [[nodiscard]] std::size_t workspace_bytes() const {
    return static_cast<std::size_t>(blocks_) * sizeof(std::int32_t);
  }
  void bind(const std::int32_t* stamps, std::int32_t* found, void* workspace) {
    stamps_ = stamps;
    found_ = found;
    broken_ = static_cast<std::int32_t*>(workspace);
  }
  void begin(harness::sdk::Stream stream) {
    device_.use(stream);
    device_.zero(broken_, workspace_bytes());
  }
  void taken(std::int32_t block, void* address, std::int64_t bytes) {
    device_.launch(stamp_kernel<stamp_threads>, grid(places(bytes)), static_cast<unsigned char*>(address),
                   places(bytes), stamps_, block);
  }
  void giving(std::int32_t block, void* address, std::int64_t bytes) {
    device_.launch(look_kernel<stamp_threads>, grid(places(bytes)),
                   static_cast<const unsigned char*>(address), places(bytes), stamps_, block, found_,
                   broken_);
  }
  void end() { device_.launch(tell_kernel<stamp_threads>, grid(blocks_), stamps_, found_, broken_, blocks_); }

 private:
  static std::int64_t places(std::int64_t bytes) { return (bytes - 4) / stamp_distance + 1; }
  static unsigned grid(std::int64_t threads) {
    constexpr std::int64_t most = 1024;
    return static_cast<unsigned>(
        std::clamp<std::int64_t>((threads + stamp_threads - 1) / stamp_threads, 1, most));
  }

  Device device_;
  int blocks_;
  const std::int32_t* stamps_ = nullptr;
  std::int32_t* found_ = nullptr;
  std::int32_t* broken_ = nullptr;
};

}  // namespace allocator
