#include "harness/device/cuda/profiling/calls/memory_reader.h"

#include <utility>

#include "harness/base/bulk_hash.h"
#include "harness/device/cuda/profiling/calls/callback.h"
#include "harness/device/cuda/profiling/calls/launch_words.h"

namespace harness::cuda {
namespace {

using Kind = DriverCall::Kind;

}  // namespace

bool MemoryReader::begin(CUpti_CallbackId id, const CUpti_CallbackData& data) {
  return begin_copy(id, data) || begin_fill(id, data) || begin_allocation(id, data);
}

bool MemoryReader::begin_copy(CUpti_CallbackId id, const CUpti_CallbackData& data) {
  const char* name = data.functionName;
  switch (id) {
    case CUPTI_DRIVER_TRACE_CBID_cuMemcpyHtoD_v2:
    case CUPTI_DRIVER_TRACE_CBID_cuMemcpyHtoD_v2_ptds: {
      const auto& from = params<cuMemcpyHtoD_v2_params>(data);
      add_upload(name, from.dstDevice, from.srcHost, from.ByteCount, {});
      return true;
    }
    case CUPTI_DRIVER_TRACE_CBID_cuMemcpyHtoDAsync_v2:
    case CUPTI_DRIVER_TRACE_CBID_cuMemcpyHtoDAsync_v2_ptsz: {
      const auto& from = params<cuMemcpyHtoDAsync_v2_params>(data);
      add_upload(name, from.dstDevice, from.srcHost, from.ByteCount, from.hStream);
      return true;
    }
    case CUPTI_DRIVER_TRACE_CBID_cuMemcpyDtoH_v2:
    case CUPTI_DRIVER_TRACE_CBID_cuMemcpyDtoH_v2_ptds: {
      const auto& from = params<cuMemcpyDtoH_v2_params>(data);
      add_fetch(name, from.dstHost, from.srcDevice, from.ByteCount, {});
      return true;
    }
    case CUPTI_DRIVER_TRACE_CBID_cuMemcpyDtoHAsync_v2:
    case CUPTI_DRIVER_TRACE_CBID_cuMemcpyDtoHAsync_v2_ptsz: {
      const auto& from = params<cuMemcpyDtoHAsync_v2_params>(data);
      add_fetch(name, from.dstHost, from.srcDevice, from.ByteCount, from.hStream);
      return true;
    }
    case CUPTI_DRIVER_TRACE_CBID_cuMemcpyDtoD_v2:
    case CUPTI_DRIVER_TRACE_CBID_cuMemcpyDtoD_v2_ptds: {
      const auto& from = params<cuMemcpyDtoD_v2_params>(data);
      add_copy(name, from.dstDevice, from.srcDevice, from.ByteCount, {});
      return true;
    }
    case CUPTI_DRIVER_TRACE_CBID_cuMemcpyDtoDAsync_v2:
    case CUPTI_DRIVER_TRACE_CBID_cuMemcpyDtoDAsync_v2_ptsz: {
      const auto& from = params<cuMemcpyDtoDAsync_v2_params>(data);
      add_copy(name, from.dstDevice, from.srcDevice, from.ByteCount, from.hStream);
      return true;
    }
    case CUPTI_DRIVER_TRACE_CBID_cuMemcpy:
    case CUPTI_DRIVER_TRACE_CBID_cuMemcpy_ptds: {
      const auto& from = params<cuMemcpy_params>(data);
      add_copy(name, from.dst, from.src, from.ByteCount, {});
      return true;
    }
    case CUPTI_DRIVER_TRACE_CBID_cuMemcpyAsync:
    case CUPTI_DRIVER_TRACE_CBID_cuMemcpyAsync_ptsz: {
      const auto& from = params<cuMemcpyAsync_params>(data);
      add_copy(name, from.dst, from.src, from.ByteCount, from.hStream);
      return true;
    }
    default: return false;
  }
}

// Source or destination may be on the host.
void MemoryReader::add_copy(const char* name, CUdeviceptr to, CUdeviceptr from, std::size_t bytes,
                            std::optional<CUstream> stream) {
  const Word target = word_of(driver_, to), source = word_of(driver_, from);
  const auto on_host = [](const Word& one) {
    return one.memory == Word::Memory::none || one.memory == Word::Memory::host;
  };
  if (on_host(target)) {
    if (!on_host(source)) add_fetch(name, reinterpret_cast<const void*>(to), from, bytes, stream);
    return;
  }
  if (on_host(source)) return add_upload(name, to, reinterpret_cast<const void*>(from), bytes, stream);
  if (bytes == 0) return;
  DriverCall call{Kind::copy, name, handle_of(stream)};
  add_figures(call, {{"bytes", static_cast<std::int64_t>(bytes)}});
  call.words = {target, source};
  recorder_.add(std::move(call));
}

// The words of the content may be addresses, too, of a table for example: then it has no hash that another
// process would find again.
void MemoryReader::add_upload(const char* name, CUdeviceptr to, const void* from, std::size_t bytes,
                              std::optional<CUstream> stream) {
  if (bytes == 0) return;
  DriverCall call{Kind::copy, name, handle_of(stream)};
  add_figures(call, {{"bytes", static_cast<std::int64_t>(bytes)}});
  call.words = {word_of(driver_, to)};
  call.content = bulk_hash({static_cast<const char*>(from), bytes});
  call.host = reinterpret_cast<std::uint64_t>(from);
  recorder_.add(std::move(call));
}

void MemoryReader::add_fetch(const char* name, const void* to, CUdeviceptr from, std::size_t bytes,
                             std::optional<CUstream> stream) {
  if (bytes == 0) return;
  DriverCall call{Kind::fetch, name, handle_of(stream)};
  add_figures(call, {{"bytes", static_cast<std::int64_t>(bytes)}});
  call.words = {word_of(driver_, from)};
  call.host = reinterpret_cast<std::uint64_t>(to);
  recorder_.add(std::move(call));
}

bool MemoryReader::begin_fill(CUpti_CallbackId id, const CUpti_CallbackData& data) {
  const char* name = data.functionName;
  switch (id) {
    case CUPTI_DRIVER_TRACE_CBID_cuMemsetD8_v2:
    case CUPTI_DRIVER_TRACE_CBID_cuMemsetD8_v2_ptds: {
      const auto& from = params<cuMemsetD8_v2_params>(data);
      add_fill(name, from.dstDevice, from.uc, from.N, {});
      return true;
    }
    case CUPTI_DRIVER_TRACE_CBID_cuMemsetD16_v2:
    case CUPTI_DRIVER_TRACE_CBID_cuMemsetD16_v2_ptds: {
      const auto& from = params<cuMemsetD16_v2_params>(data);
      add_fill(name, from.dstDevice, from.us, from.N, {});
      return true;
    }
    case CUPTI_DRIVER_TRACE_CBID_cuMemsetD32_v2:
    case CUPTI_DRIVER_TRACE_CBID_cuMemsetD32_v2_ptds: {
      const auto& from = params<cuMemsetD32_v2_params>(data);
      add_fill(name, from.dstDevice, from.ui, from.N, {});
      return true;
    }
    case CUPTI_DRIVER_TRACE_CBID_cuMemsetD8Async:
    case CUPTI_DRIVER_TRACE_CBID_cuMemsetD8Async_ptsz: {
      const auto& from = params<cuMemsetD8Async_params>(data);
      add_fill(name, from.dstDevice, from.uc, from.N, from.hStream);
      return true;
    }
    case CUPTI_DRIVER_TRACE_CBID_cuMemsetD16Async:
    case CUPTI_DRIVER_TRACE_CBID_cuMemsetD16Async_ptsz: {
      const auto& from = params<cuMemsetD16Async_params>(data);
      add_fill(name, from.dstDevice, from.us, from.N, from.hStream);
      return true;
    }
    case CUPTI_DRIVER_TRACE_CBID_cuMemsetD32Async:
    case CUPTI_DRIVER_TRACE_CBID_cuMemsetD32Async_ptsz: {
      const auto& from = params<cuMemsetD32Async_params>(data);
      add_fill(name, from.dstDevice, from.ui, from.N, from.hStream);
      return true;
    }
    default: return false;
  }
}

void MemoryReader::add_fill(const char* name, CUdeviceptr to, unsigned value, std::size_t count,
                            std::optional<CUstream> stream) {
  if (count == 0) return;
  DriverCall call{Kind::fill, name, handle_of(stream)};
  add_figures(call, {{"value", value}, {"count", static_cast<std::int64_t>(count)}});
  call.words = {word_of(driver_, to)};
  recorder_.add(std::move(call));
}

bool MemoryReader::begin_allocation(CUpti_CallbackId id, const CUpti_CallbackData& data) {
  switch (id) {
    case CUPTI_DRIVER_TRACE_CBID_cuMemFree_v2:
      add_free(data.functionName, params<cuMemFree_v2_params>(data).dptr, {});
      return true;
    case CUPTI_DRIVER_TRACE_CBID_cuMemFreeAsync:
    case CUPTI_DRIVER_TRACE_CBID_cuMemFreeAsync_ptsz: {
      const auto& from = params<cuMemFreeAsync_params>(data);
      add_free(data.functionName, from.dptr, from.hStream);
      return true;
    }
    // Told when they end, with the address.
    case CUPTI_DRIVER_TRACE_CBID_cuMemAlloc_v2:
    case CUPTI_DRIVER_TRACE_CBID_cuMemAllocPitch_v2:
    case CUPTI_DRIVER_TRACE_CBID_cuMemAllocAsync:
    case CUPTI_DRIVER_TRACE_CBID_cuMemAllocAsync_ptsz:
    case CUPTI_DRIVER_TRACE_CBID_cuMemAllocFromPoolAsync:
    case CUPTI_DRIVER_TRACE_CBID_cuMemAllocFromPoolAsync_ptsz: return true;
    default: return false;
  }
}

void MemoryReader::add_free(const char* name, CUdeviceptr memory, std::optional<CUstream> stream) {
  DriverCall call{Kind::order, name, handle_of(stream)};
  call.words = {word_of(driver_, memory)};
  recorder_.add(std::move(call));
}

void MemoryReader::end(CUpti_CallbackId id, const CUpti_CallbackData& data) {
  const CUdeviceptr* got = nullptr;
  std::optional<CUstream> stream;
  switch (id) {
    case CUPTI_DRIVER_TRACE_CBID_cuMemAlloc_v2: got = params<cuMemAlloc_v2_params>(data).dptr; break;
    case CUPTI_DRIVER_TRACE_CBID_cuMemAllocPitch_v2:
      got = params<cuMemAllocPitch_v2_params>(data).dptr;
      break;
    case CUPTI_DRIVER_TRACE_CBID_cuMemAllocAsync:
    case CUPTI_DRIVER_TRACE_CBID_cuMemAllocAsync_ptsz:
      got = params<cuMemAllocAsync_params>(data).dptr;
      stream = params<cuMemAllocAsync_params>(data).hStream;
      break;
    case CUPTI_DRIVER_TRACE_CBID_cuMemAllocFromPoolAsync:
    case CUPTI_DRIVER_TRACE_CBID_cuMemAllocFromPoolAsync_ptsz:
      got = params<cuMemAllocFromPoolAsync_params>(data).dptr;
      stream = params<cuMemAllocFromPoolAsync_params>(data).hStream;
      break;
    default: return;
  }
  if (got == nullptr || *got == 0) return;
  DriverCall call{Kind::order, data.functionName, handle_of(stream)};
  call.words = {word_of(driver_, *got)};
  recorder_.add_own(call.words.front().id);
  recorder_.add(std::move(call));
}

}  // namespace harness::cuda
