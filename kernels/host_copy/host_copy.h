// The problem host_copy as every variant sees it: n float32 values go to the device, and n others to the
// host's memory.
#pragma once

#include <cstddef>

#include "harness/sdk/variant.h"

namespace host_copy {

// Indices into Problem::tensors and Buffers::tensors. The tensors of the host lie in its memory.
inline constexpr std::size_t of_host_index = 0;
inline constexpr std::size_t of_device_index = 1;
inline constexpr std::size_t to_device_index = 2;
inline constexpr std::size_t to_host_index = 3;

// Where the tensors lie, for a variant on any device.
class CopyKernel : public harness::sdk::Kernel {
 public:
  explicit CopyKernel(const harness::sdk::Params& params)
      : bytes_(static_cast<std::size_t>(params.integer("n")) * sizeof(float)) {}
  void bind(const harness::sdk::Buffers& buffers) override {
    of_host_ = buffers.as<void>(of_host_index);
    of_device_ = buffers.as<void>(of_device_index);
    to_device_ = buffers.as<void>(to_device_index);
    to_host_ = buffers.as<void>(to_host_index);
  }

 protected:
  std::size_t bytes_;  // each way
  const void* of_host_ = nullptr;
  const void* of_device_ = nullptr;
  void* to_device_ = nullptr;
  void* to_host_ = nullptr;
};

}  // namespace host_copy
