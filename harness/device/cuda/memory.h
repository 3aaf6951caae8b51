// MemoryMeter: how much of the GPU's memory a case takes, from the driver's count of free memory and the
// high-water mark of the pool behind cudaMallocAsync. The count is of the whole device: what other processes
// take meanwhile is in it. What the case took by cudaMalloc and gave back between the two calls is not.
// One thread uses it.
#pragma once

#include <optional>

#include "harness/device/peak_memory.h"

namespace harness::cuda {

class MemoryMeter {
 public:
  explicit MemoryMeter(int ordinal) : ordinal_(ordinal) {}

  // Both wait for nothing: call them where the device has nothing left to do.
  void begin();
  // Bytes since begin(); std::nullopt where the driver does not tell.
  [[nodiscard]] std::optional<std::size_t> peak() const;

 private:
  int ordinal_;
  std::optional<MemoryReading> before_;
};

}  // namespace harness::cuda
