#include "harness/device/cuda/timing/cache.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "harness/base/units.h"
#include "harness/device/cuda/check.h"

namespace harness::cuda {

Result<DeviceMemory> allocate_device_memory(std::size_t bytes) {
  void* memory = nullptr;
  // cudaMalloc of nothing succeeds with a null pointer; a buffer always has an address.
  const cudaError_t code = cudaMalloc(&memory, std::max<std::size_t>(bytes, 1));
  if (code == cudaSuccess) return DeviceMemory(memory);
  std::string advice;
  if (code == cudaErrorMemoryAllocation) {
    (void)cudaGetLastError();
    std::size_t available = 0;
    std::size_t total = 0;
    if (cudaMemGetInfo(&available, &total) == cudaSuccess)
      advice = fmt::format("{} of {} are free on the device; use smaller shapes, or end what else uses it",
                           format_si(static_cast<double>(available), "B"),
                           format_si(static_cast<double>(total), "B"));
  }
  Status failed = check(code, fmt::format("cudaMalloc of {} bytes", bytes), std::move(advice));
  return fail(std::move(failed.error()));
}

CacheFlusher::CacheFlusher(std::size_t l2_bytes)
    // A little more than twice: part of the cache may be reserved or hashed unevenly.
    : bytes_(std::max<std::size_t>(l2_bytes * 2 + l2_bytes / 8, std::size_t{8} << 20)) {}

Status CacheFlusher::prepare(cudaStream_t stream) {
  auto buffer = allocate_device_memory(bytes_);
  if (!buffer) return fail(std::move(buffer.error()));
  if (auto status = check(cudaMemsetAsync(buffer->get(), 0, bytes_, stream), "cudaMemsetAsync (L2 flush)");
      !status)
    return status;
  if (auto status = check(cudaStreamSynchronize(stream), "cudaStreamSynchronize (L2 flush)"); !status)
    return status;
  buffer_ = std::move(*buffer);
  look_for_persisting();
  return {};
}

// Devices without persisting accesses refuse, and never need a reset.
void CacheFlusher::look_for_persisting() {
  if (refused_) return;
  std::size_t set_aside = 0;
  refused_ = cudaDeviceGetLimit(&set_aside, cudaLimitPersistingL2CacheSize) != cudaSuccess;
  may_persist_ = !refused_ && set_aside > 0;
  if (refused_) (void)cudaGetLastError();
}

// Lines that a kernel asked to persist outlive ordinary writes, so a flush makes them ordinary first.
bool CacheFlusher::reset_persisting() {
  if (!may_persist_) return false;
  refused_ = cudaCtxResetPersistingL2Cache() != cudaSuccess;
  may_persist_ = !refused_;
  if (refused_) (void)cudaGetLastError();
  return may_persist_;
}

Status CacheFlusher::flush(cudaStream_t stream) {
  if (!buffer_)
    if (auto status = prepare(stream); !status) return status;
  reset_persisting();
  return evict(stream);
}

Status CacheFlusher::evict(cudaStream_t stream) {
  return check(cudaMemsetAsync(buffer_.get(), 0, bytes_, stream), "cudaMemsetAsync (L2 flush)");
}

}  // namespace harness::cuda
