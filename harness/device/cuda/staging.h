// Staging: large copies between ordinary host memory and one GPU. Several threads fill or empty one pinned
// half while the device's copy engine works on the other. The driver alone would copy on one thread. Used
// from the device's thread, with that GPU current.
#pragma once

#include <cuda_runtime.h>

#include <array>
#include <cstddef>
#include <memory>
#include <span>

#include "harness/base/result.h"

namespace harness::cuda {

// memcpy() by as many threads as are worth it.
void copy_on_threads(void* to, const void* from, std::size_t bytes);

class Staging {
 public:
  Staging() = default;
  Staging(const Staging&) = delete;
  Staging& operator=(const Staging&) = delete;
  ~Staging();

  // Queues the copy. When it returns, `from` may change, and the copy may still run. The driver does small
  // copies, and all of them where no memory can be pinned.
  Status upload(void* to, std::span<const std::byte> from, cudaStream_t stream);

  // The same to the host, after what was queued on `stream`. `to` is complete when the stream is.
  Status download(std::span<std::byte> to, const void* from, cudaStream_t stream);

 private:
  struct Half {
    std::byte* memory = nullptr;
    cudaEvent_t copied = nullptr;  // its last contents
  };
  // Whether there is memory to copy so many bytes with.
  bool ready(std::size_t bytes);
  bool take(std::size_t half_bytes);
  [[nodiscard]] std::size_t piece_of(std::size_t bytes) const;
  void release();
  [[nodiscard]] const Half& half(std::size_t turn) const { return halves_[turn % halves_.size()]; }

  std::array<Half, 2> halves_;
  std::size_t half_bytes_ = 0;  // 0: no halves
  std::size_t tried_ = 0;       // the most that a half was to have
};

}  // namespace harness::cuda
