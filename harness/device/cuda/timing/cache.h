// CacheFlusher: evicts the L2 cache before a cold sample by overwriting a buffer of at least twice
// its size. The buffer is allocated by the first flush and kept, so that suites which measure hot
// alone do not pay for it.
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

  // Makes lines that persist in L2 ordinary, if there can be any, and enqueues the eviction. The first call
  // allocates, flushes once and waits, so that no later call loads code.
  Status flush(cudaStream_t stream);

  // Asks whether lines can persist, for the flushes that follow: a part of the cache must have been set aside
  // for them, which any call of the work may have done, or is so from the start. Once a placement, not at
  // each flush, so that the host has less to do between samples; a share that is set aside in the midst of a
  // placement counts from the next.
  void look_for_persisting();

  // The two halves of flush(). The host makes persisting lines ordinary at once and not in the stream's order
  // (some 3 us, and a kernel that runs meanwhile takes 0.3 us longer, on an H200): not while timed work runs,
  // and early enough that an eviction comes after it, or is still at it.
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
