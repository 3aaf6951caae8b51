// Memories of the CUDA variants: cudaMalloc, cudaMallocAsync from a pool of the driver, and CachingPool over
// cudaMalloc.
#pragma once

#include <cuda_runtime.h>

#include <limits>
#include <memory>

#include "kernels/allocator/caching_pool.h"
#include "kernels/allocator/replay_variant.h"
#include "kernels/allocator/stamp_kernels.cuh"
#include "kernels/owned.cuh"

namespace allocator {

class StampDevice {
 public:
  explicit StampDevice(const harness::sdk::DeviceTraits&) {}
  void use(harness::sdk::Stream stream) { stream_ = static_cast<cudaStream_t>(stream.handle); }
  template <class... Parameters, class... Arguments>
  void launch(void (*kernel)(Parameters...), unsigned grid, const Arguments&... arguments) {
    kernel<<<grid, stamp_threads, 0, stream_>>>(arguments...);
    kernels::check(cudaGetLastError(), "launch of a kernel of allocator");
  }
  void zero(void* at, std::size_t bytes) {
    kernels::check(cudaMemsetAsync(at, 0, bytes, stream_), "cudaMemsetAsync");
  }

 private:
  cudaStream_t stream_ = nullptr;
};

using CudaStamps = StampLauncher<StampDevice>;

// The stream of a memory: that of a call, or its own.
class OnStream {
 public:
  // cudaFree waits for the device, and a replay has more launches than a stream's queue takes.
  static constexpr bool waits = true;
  void use(harness::sdk::Stream stream) { stream_ = static_cast<cudaStream_t>(stream.handle); }
  void use_own() {
    if (!own_) own_ = kernels::make_stream();
    stream_ = own_.get();
  }
  void finish() const { kernels::check(cudaStreamSynchronize(stream_), "cudaStreamSynchronize"); }
  static void expect(std::int64_t) {}

 protected:
  [[nodiscard]] cudaStream_t stream() const { return stream_; }

 private:
  kernels::OwnedStream own_;
  cudaStream_t stream_ = nullptr;
};

class CudaMalloc : public OnStream {
 public:
  struct Block {
    void* address = nullptr;
  };

  explicit CudaMalloc(const harness::sdk::DeviceTraits&) {}

  static Block take(std::size_t bytes) {
    Block block;
    kernels::check(cudaMalloc(&block.address, bytes), "cudaMalloc");
    return block;
  }
  static void give(const Block& block) { kernels::check(cudaFree(block.address), "cudaFree"); }

  // By the driver's count of free memory, which includes other processes.
  static std::int64_t most_reserved(Replay<CudaMalloc>& replay) {
    struct Driver {
      static std::int64_t free_bytes() {
        std::size_t free = 0, total = 0;
        kernels::check(cudaMemGetInfo(&free, &total), "cudaMemGetInfo");
        return static_cast<std::int64_t>(free);
      }
      void taken(std::int32_t, void*, std::int64_t) { least = std::min(least, free_bytes()); }
      static void giving(std::int32_t, void*, std::int64_t) {}
      std::int64_t first = free_bytes(), least = first;
    } driver;
    replay.run(driver);
    return driver.first - driver.least;
  }
};

// A pool with the properties of the device's default pool, and its own release threshold: another threshold
// of the default pool itself would change other cases of the process.
template <bool kept>
class CudaMallocAsync : public OnStream {
 public:
  struct Block {
    void* address = nullptr;
  };

  explicit CudaMallocAsync(const harness::sdk::DeviceTraits& traits) {
    cudaMemPoolProps properties = {};
    properties.allocType = cudaMemAllocationTypePinned;
    properties.location.type = cudaMemLocationTypeDevice;
    properties.location.id = traits.ordinal;
    cudaMemPool_t made = nullptr;
    kernels::check(cudaMemPoolCreate(&made, &properties), "cudaMemPoolCreate");
    pool_.reset(made);
    std::uint64_t threshold = kept ? std::numeric_limits<std::uint64_t>::max() : 0;
    kernels::check(cudaMemPoolSetAttribute(made, cudaMemPoolAttrReleaseThreshold, &threshold),
                   "cudaMemPoolSetAttribute");
  }

  Block take(std::size_t bytes) {
    Block block;
    kernels::check(cudaMallocFromPoolAsync(&block.address, bytes, pool_.get(), stream()),
                   "cudaMallocFromPoolAsync");
    return block;
  }
  void give(const Block& block) { kernels::check(cudaFreeAsync(block.address, stream()), "cudaFreeAsync"); }

  std::int64_t most_reserved(Replay<CudaMallocAsync>&) const {
    std::uint64_t bytes = 0;
    kernels::check(cudaMemPoolGetAttribute(pool_.get(), cudaMemPoolAttrReservedMemHigh, &bytes),
                   "cudaMemPoolGetAttribute");
    return static_cast<std::int64_t>(bytes);
  }

 private:
  struct Destroy {
    void operator()(CUmemPoolHandle_st* pool) const { cudaMemPoolDestroy(pool); }
  };
  std::unique_ptr<CUmemPoolHandle_st, Destroy> pool_;
};

class CudaSource final : public MemorySource {
 public:
  void* take(std::size_t bytes) override {
    void* segment = nullptr;
    const cudaError_t status = cudaMalloc(&segment, bytes);
    if (status == cudaErrorMemoryAllocation) {
      (void)cudaGetLastError();  // it is told by the null
      return nullptr;
    }
    kernels::check(status, "cudaMalloc");
    return segment;
  }
  void give(void* segment) override { (void)cudaFree(segment); }
};

class CudaPool : public OnStream {
 public:
  using Block = CachingPool::Block;

  explicit CudaPool(const harness::sdk::DeviceTraits&) : pool_(source_) {}

  Block take(std::size_t bytes) { return pool_.take(bytes); }
  void give(const Block& block) { pool_.give(block); }
  std::int64_t most_reserved(Replay<CudaPool>&) const {
    return static_cast<std::int64_t>(pool_.most_reserved());
  }

 private:
  CudaSource source_;
  CachingPool pool_;
};

}  // namespace allocator
