#include "harness/device/cuda/memory_meter.h"

#include <cuda.h>
#include <cuda_runtime.h>

#include "harness/device/cuda/check.h"

namespace harness::cuda {
namespace {

bool read(cudaMemPool_t pool, cudaMemPoolAttr attribute, std::size_t& bytes) {
  cuuint64_t value = 0;
  if (!check(cudaMemPoolGetAttribute(pool, attribute, &value), "cudaMemPoolGetAttribute")) return false;
  bytes = static_cast<std::size_t>(value);
  return true;
}

// On a GPU without memory pools, the figures of the pool stay 0.
std::optional<MemoryReading> reading(int ordinal, bool reset) {
  std::size_t free = 0, total = 0;
  if (!check(cudaMemGetInfo(&free, &total), "cudaMemGetInfo") || free > total) return std::nullopt;
  MemoryReading now;
  now.used = total - free;
  cudaMemPool_t pool = nullptr;
  if (!check(cudaDeviceGetMemPool(&pool, ordinal), "cudaDeviceGetMemPool")) return now;
  if (reset) {
    cuuint64_t zero = 0;
    if (!check(cudaMemPoolSetAttribute(pool, cudaMemPoolAttrUsedMemHigh, &zero), "cudaMemPoolSetAttribute"))
      return now;
  }
  MemoryReading with_pool = now;
  if (!read(pool, cudaMemPoolAttrReservedMemCurrent, with_pool.pool_reserved) ||
      !read(pool, cudaMemPoolAttrUsedMemCurrent, with_pool.pool_used) ||
      !read(pool, cudaMemPoolAttrUsedMemHigh, with_pool.pool_peak))
    return now;
  return with_pool;
}

}  // namespace

MemoryMeter::Start MemoryMeter::begin() const {
  return reading(ordinal_, true);
}

std::optional<std::size_t> MemoryMeter::peak_since(const Start& start) const {
  const std::optional<MemoryReading> now = start ? reading(ordinal_, false) : std::nullopt;
  if (!now) return std::nullopt;
  return peak_between(*start, *now);
}

}  // namespace harness::cuda
