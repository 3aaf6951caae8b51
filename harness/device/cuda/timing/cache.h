// CacheFlusher: evicts the L2 cache before a cold sample by overwriting a buffer of at least twice its size.
// The first flush allocates the buffer, which is kept: suites that measure only hot do not need it.
#pragma once

#include <cuda_runtime.h>

#include <cstddef>
#include <memory>

#include "harness/base/result.h"

namespace harness::cuda {

struct FreeDeviceMemory {
  void operator()(void* memory) const { (void)cudaFree(memory); }
};
using DeviceMemory = std::unique_ptr<void, FreeDeviceMemory>;

// Plain device memory; an Error with the free and total bytes when there is not enough.
Result<DeviceMemory> allocate_device_memory(std::size_t bytes);

class CacheFlusher {
 public:
  explicit CacheFlusher(std::size_t l2_bytes);

  // Makes persisting lines in L2 ordinary, if there may be any, and queues the eviction. The first call
  // allocates, flushes once and waits, so that no later call loads code.
  Status flush(cudaStream_t stream);

  // Asks whether part of the cache is set aside for persisting lines, for the flushes that follow. Any call
  // of the work may have done that. Asked once a placement, so that the host has less to do between samples;
  // a part set aside later counts from the next placement.
  void look_for_persisting();

  // The two halves of flush(). The host makes persisting lines ordinary at once, not in stream order. On an
  // H200 that takes 3 us, and a kernel that runs meanwhile takes 0.3 us longer. So do it while no timed work
  // runs, before the eviction ends.
  Status evict(cudaStream_t stream);
  bool reset_persisting();  // false: there can be none

 private:
  Status prepare(cudaStream_t stream);

  std::size_t bytes_;
  DeviceMemory buffer_;
  bool may_persist_ = false;
  bool refused_ = false;  // the device has no such accesses
};

}  // namespace harness::cuda
