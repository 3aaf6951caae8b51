// CudaMemory: buffers in a GPU's memory. A buffer owns its memory, and must not outlive the process's
// context. One thread uses it.
#pragma once

#include <cstddef>
#include <map>
#include <span>

#include "harness/device/cuda/memory_meter.h"
#include "harness/device/cuda/staging.h"
#include "harness/device/cuda/timing/work_queue.h"
#include "harness/device/memory.h"

namespace harness::cuda {

class CudaMemory final : public Memory {
 public:
  CudaMemory(WorkQueue& queue, int ordinal, std::size_t cache_bytes)
      : queue_(queue), meter_(ordinal), cache_bytes_(cache_bytes) {}

  Result<std::unique_ptr<Buffer>> allocate(std::size_t bytes) override;
  Result<std::unique_ptr<Buffer>> allocate_on(int gpu, std::size_t bytes) override;
  Status upload(Buffer& to, std::span<const std::byte> from) override;
  Status download(std::span<std::byte> to, const Buffer& from) override;
  Scope lock(std::span<std::byte> memory) override;
  Status copy(Buffer& to, const Buffer& from) override;
  Result<std::optional<std::size_t>> first_difference(const Buffer& buffer,
                                                      std::span<const std::byte> expected) override;
  Result<std::optional<std::uint64_t>> keyed_sum(const Buffer& buffer, std::uint64_t key) override;
  Status fill(Buffer& buffer, unsigned char value) override;
  [[nodiscard]] std::size_t cache_bytes() const override { return cache_bytes_; }
  Since<std::size_t> watch_peak() override;

 private:
  // The stream and the staging memory of the GPU that holds the memory. It is current while the scope lives.
  struct Place {
    Scope current;
    cudaStream_t stream;
    Staging& staging;
  };
  Result<Place> place_of(const Buffer& buffer);
  template <class Work>
  Status when_idle(const Work& work);

  WorkQueue& queue_;
  MemoryMeter meter_;
  std::map<int, Staging> staging_;                  // by GPU of the case
  std::map<const std::byte*, std::size_t> locked_;  // where downloads need no staging: begin and size
  std::size_t cache_bytes_;
};

}  // namespace harness::cuda
