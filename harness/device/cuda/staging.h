// Staging: large uploads from ordinary host memory. The driver copies through pinned memory of its own on one
// thread; here several threads fill two pinned halves in turn while the device's copy engine works on the
// other. Owned by the device, used from its thread.
#pragma once

#include <cuda_runtime.h>

#include <array>
#include <cstddef>
#include <memory>
#include <span>

#include "harness/base/result.h"

namespace harness::cuda {

class Staging {
 public:
  Staging() = default;
  Staging(const Staging&) = delete;
  Staging& operator=(const Staging&) = delete;
  ~Staging();

  // Pins its memory, unless that is done: 32 MiB, on the host.
  void prepare() { (void)ready(); }

  // Enqueues the copy; when it returns, `from` may change, and the copy may still be under way. Small ones,
  // and all where no memory can be pinned, are left to the driver.
  Status upload(void* to, std::span<const std::byte> from, cudaStream_t stream);

 private:
  struct Half {
    std::byte* memory = nullptr;
    cudaEvent_t copied = nullptr;  // its last contents
  };
  bool ready();

  std::array<Half, 2> halves_;
  bool tried_ = false;
};

}  // namespace harness::cuda
