// MemoryMeter: how much of the GPU's memory work takes, from the driver's count of free memory and the
// high-water mark of cudaMallocAsync's pool. The count includes other processes, and cudaMalloc takes blocks
// of 2 MiB. Memory that cudaMalloc took and gave back between the two calls is missed. One thread uses it.
#pragma once

#include <cstddef>

#include <optional>

#include "harness/device/peak_memory.h"

namespace harness::cuda {

class MemoryMeter {
 public:
  explicit MemoryMeter(int ordinal) : ordinal_(ordinal) {}

  using Start = std::optional<MemoryReading>;

  // Neither waits for the device: call them when it has nothing left to do.
  [[nodiscard]] Start begin() const;
  // Bytes since `start`; std::nullopt where the driver does not tell.
  [[nodiscard]] std::optional<std::size_t> peak_since(const Start& start) const;

 private:
  int ordinal_;
};

}  // namespace harness::cuda
