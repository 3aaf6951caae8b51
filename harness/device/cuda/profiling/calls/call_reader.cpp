#include "harness/device/cuda/profiling/calls/call_reader.h"

#include <elf.h>
#include <algorithm>
#include <array>
#include <cstring>
#include <span>
#include <utility>

#include "harness/base/bulk_hash.h"

namespace harness::cuda {
namespace {

using Kind = DriverCall::Kind;

// A driver call inside a callback would cause another callback.
thread_local bool reading = false;

// Functions beside those with "Get" in their name. Limits of the context and attributes of functions are read
// when a call is; descriptors of tensors are arguments.
constexpr auto harmless =
    std::to_array<std::string_view>({"cuCtxPopCurrent",
                                     "cuCtxPushCurrent",
                                     "cuCtxSetCurrent",
                                     "cuCtxSetLimit",
                                     "cuDeviceCanAccessPeer",
                                     "cuDeviceComputeCapability",
                                     "cuDevicePrimaryCtxRelease",
                                     "cuDevicePrimaryCtxRetain",
                                     "cuDeviceTotalMem",
                                     "cuEventCreate",
                                     "cuEventDestroy",
                                     "cuEventElapsedTime",
                                     "cuEventQuery",
                                     "cuFuncIsLoaded",
                                     "cuFuncLoad",
                                     "cuFuncSetAttribute",
                                     "cuInit",
                                     "cuKernelSetAttribute",
                                     "cuLibraryEnumerateKernels",
                                     "cuLibraryLoadData",
                                     "cuLibraryLoadFromFile",
                                     "cuLibraryUnload",
                                     "cuLinkAddData",
                                     "cuLinkAddFile",
                                     "cuLinkComplete",
                                     "cuLinkCreate",
                                     "cuLinkDestroy",
                                     "cuMemAllocHost",
                                     "cuMemAllocManaged",
                                     "cuMemFreeHost",
                                     "cuMemHostAlloc",
                                     "cuMemHostRegister",
                                     "cuMemHostUnregister",
                                     "cuModuleEnumerateFunctions",
                                     "cuModuleLoad",
                                     "cuModuleLoadData",
                                     "cuModuleLoadDataEx",
                                     "cuModuleLoadFatBinary",
                                     "cuModuleUnload",
                                     "cuOccupancyAvailableDynamicSMemPerBlock",
                                     "cuOccupancyMaxActiveBlocksPerMultiprocessor",
                                     "cuOccupancyMaxActiveBlocksPerMultiprocessorWithFlags",
                                     "cuOccupancyMaxActiveClusters",
                                     "cuOccupancyMaxPotentialBlockSize",
                                     "cuOccupancyMaxPotentialBlockSizeWithFlags",
                                     "cuOccupancyMaxPotentialClusterSize",
                                     "cuProfilerStart",
                                     "cuProfilerStop",
                                     "cuStreamCreate",
                                     "cuStreamCreateWithPriority",
                                     "cuStreamDestroy",
                                     "cuStreamIsCapturing",
                                     "cuStreamQuery",
                                     "cuTensorMapEncodeIm2col",
                                     "cuTensorMapEncodeIm2colWide",
                                     "cuTensorMapEncodeTiled",
                                     "cuTensorMapReplaceAddress",
                                     "cuThreadExchangeStreamCaptureMode",
                                     "cuUserObjectCreate",
                                     "cuUserObjectRelease",
                                     "cuUserObjectRetain"});

// "cuMemAlloc_v2_ptds" -> "cuMemAlloc".
std::string_view without_version(std::string_view function) {
  return function.substr(0, function.find('_'));
}

std::optional<std::uint64_t> handle_of(std::optional<CUstream> stream) {
  return stream ? std::optional(handle(static_cast<const void*>(*stream))) : std::nullopt;
}

// The image that a function is told to load, if it is a cubin: an ELF file, whose section headers come last.
// Other kinds, such as compressed ones, come through the driver.
std::span<const std::byte> image_of(CUpti_CallbackId id, const CUpti_CallbackData& data) {
  const void* image = nullptr;
  if (id == CUPTI_DRIVER_TRACE_CBID_cuModuleLoadData) image = params<cuModuleLoadData_params>(data).image;
  if (id == CUPTI_DRIVER_TRACE_CBID_cuModuleLoadDataEx) image = params<cuModuleLoadDataEx_params>(data).image;
  if (id == CUPTI_DRIVER_TRACE_CBID_cuLibraryLoadData) image = params<cuLibraryLoadData_params>(data).code;
  if (image == nullptr || std::memcmp(image, ELFMAG, SELFMAG) != 0) return {};
  Elf64_Ehdr header;
  std::memcpy(&header, image, sizeof header);
  return {static_cast<const std::byte*>(image),
          header.e_shoff + std::size_t{header.e_shnum} * header.e_shentsize};
}

}  // namespace

bool is_harmless(std::string_view function) {
  const std::string_view name = without_version(function);
  return name.find("Get") != std::string_view::npos ||
         std::binary_search(harmless.begin(), harmless.end(), name);
}

void CallReader::take(CUpti_CallbackId id, const CUpti_CallbackData& data) {
  if (reading) return;
  follow_load(id, data);
  if (data.callbackSite == CUPTI_API_EXIT) follow_graph(id, data);
  if (!recorder_.recording()) return;
  reading = true;
  const Scope done([] { reading = false; });
  if (data.callbackSite == CUPTI_API_ENTER)
    begin(id, data);
  else
    end(id, data);
}

// The first argument of each of these functions is where the handle goes.
void CallReader::follow_load(CUpti_CallbackId id, const CUpti_CallbackData& data) {
  switch (id) {
    case CUPTI_DRIVER_TRACE_CBID_cuModuleLoad:
    case CUPTI_DRIVER_TRACE_CBID_cuModuleLoadData:
    case CUPTI_DRIVER_TRACE_CBID_cuModuleLoadDataEx:
    case CUPTI_DRIVER_TRACE_CBID_cuModuleLoadFatBinary:
    case CUPTI_DRIVER_TRACE_CBID_cuLibraryLoadData:
    case CUPTI_DRIVER_TRACE_CBID_cuLibraryLoadFromFile: break;
    default: return;
  }
  if (data.callbackSite == CUPTI_API_ENTER) return book_.begin_load();
  const void* const* const got = *static_cast<const void* const* const*>(data.functionParams);
  book_.end_load(got != nullptr ? handle(*got) : 0, image_of(id, data));
}

void CallReader::begin(CUpti_CallbackId id, const CUpti_CallbackData& data) {
  if (launches_.begin(id, data) || begin_copy(id, data) || begin_fill(id, data) || begin_order(id, data) ||
      begin_graph(id, data))
    return;
  if (is_harmless(data.functionName)) return;
  recorder_.add_gap({CauseCode::call_not_followed, {{"call", std::string(data.functionName)}}});
}

bool CallReader::begin_copy(CUpti_CallbackId id, const CUpti_CallbackData& data) {
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
      add_fetch(name, from.srcDevice, from.ByteCount, {});
      return true;
    }
    case CUPTI_DRIVER_TRACE_CBID_cuMemcpyDtoHAsync_v2:
    case CUPTI_DRIVER_TRACE_CBID_cuMemcpyDtoHAsync_v2_ptsz: {
      const auto& from = params<cuMemcpyDtoHAsync_v2_params>(data);
      add_fetch(name, from.srcDevice, from.ByteCount, from.hStream);
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
void CallReader::add_copy(const char* name, CUdeviceptr to, CUdeviceptr from, std::size_t bytes,
                          std::optional<CUstream> stream) {
  const Word target = word_of(driver_, to), source = word_of(driver_, from);
  const auto on_host = [](const Word& one) {
    return one.memory == Word::Memory::none || one.memory == Word::Memory::host;
  };
  if (on_host(target)) {
    if (!on_host(source)) add_fetch(name, from, bytes, stream);
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
void CallReader::add_upload(const char* name, CUdeviceptr to, const void* from, std::size_t bytes,
                            std::optional<CUstream> stream) {
  if (bytes == 0) return;
  DriverCall call{Kind::copy, name, handle_of(stream)};
  add_figures(call, {{"bytes", static_cast<std::int64_t>(bytes)}});
  call.words = {word_of(driver_, to)};
  call.content = bulk_hash({static_cast<const char*>(from), bytes});
  recorder_.add(std::move(call));
}

void CallReader::add_fetch(const char* name, CUdeviceptr from, std::size_t bytes,
                           std::optional<CUstream> stream) {
  if (bytes == 0) return;
  DriverCall call{Kind::fetch, name, handle_of(stream)};
  add_figures(call, {{"bytes", static_cast<std::int64_t>(bytes)}});
  call.words = {word_of(driver_, from)};
  recorder_.add(std::move(call));
}

bool CallReader::begin_fill(CUpti_CallbackId id, const CUpti_CallbackData& data) {
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

void CallReader::add_fill(const char* name, CUdeviceptr to, unsigned value, std::size_t count,
                          std::optional<CUstream> stream) {
  if (count == 0) return;
  DriverCall call{Kind::fill, name, handle_of(stream)};
  add_figures(call, {{"value", value}, {"count", static_cast<std::int64_t>(count)}});
  call.words = {word_of(driver_, to)};
  recorder_.add(std::move(call));
}

bool CallReader::begin_order(CUpti_CallbackId id, const CUpti_CallbackData& data) {
  DriverCall call{Kind::order, data.functionName, {}};
  switch (id) {
    case CUPTI_DRIVER_TRACE_CBID_cuEventRecord:
    case CUPTI_DRIVER_TRACE_CBID_cuEventRecord_ptsz: {
      const auto& from = params<cuEventRecord_params>(data);
      call.stream = handle(static_cast<const void*>(from.hStream));
      call.event = handle(from.hEvent);
      break;
    }
    case CUPTI_DRIVER_TRACE_CBID_cuEventRecordWithFlags:
    case CUPTI_DRIVER_TRACE_CBID_cuEventRecordWithFlags_ptsz: {
      const auto& from = params<cuEventRecordWithFlags_params>(data);
      call.stream = handle(static_cast<const void*>(from.hStream));
      call.event = handle(from.hEvent);
      add_figures(call, {{"flags", from.flags}});
      break;
    }
    case CUPTI_DRIVER_TRACE_CBID_cuStreamWaitEvent:
    case CUPTI_DRIVER_TRACE_CBID_cuStreamWaitEvent_ptsz: {
      const auto& from = params<cuStreamWaitEvent_params>(data);
      call.stream = handle(static_cast<const void*>(from.hStream));
      call.event = handle(from.hEvent);
      add_figures(call, {{"flags", from.Flags}});
      break;
    }
    case CUPTI_DRIVER_TRACE_CBID_cuStreamSynchronize:
    case CUPTI_DRIVER_TRACE_CBID_cuStreamSynchronize_ptsz:
      call.stream = handle(static_cast<const void*>(params<cuStreamSynchronize_params>(data).hStream));
      break;
    case CUPTI_DRIVER_TRACE_CBID_cuEventSynchronize:
      call.event = handle(params<cuEventSynchronize_params>(data).hEvent);
      break;
    case CUPTI_DRIVER_TRACE_CBID_cuCtxSynchronize:
    case CUPTI_DRIVER_TRACE_CBID_cuCtxSynchronize_v2: break;
    case CUPTI_DRIVER_TRACE_CBID_cuMemFree_v2:
      call.words = {word_of(driver_, params<cuMemFree_v2_params>(data).dptr)};
      break;
    case CUPTI_DRIVER_TRACE_CBID_cuMemFreeAsync:
    case CUPTI_DRIVER_TRACE_CBID_cuMemFreeAsync_ptsz: {
      const auto& from = params<cuMemFreeAsync_params>(data);
      call.stream = handle(static_cast<const void*>(from.hStream));
      call.words = {word_of(driver_, from.dptr)};
      break;
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
  recorder_.add(std::move(call));
  return true;
}

// Functions that make a graph in another way, or change one, are not among them.
bool CallReader::begin_graph(CUpti_CallbackId id, const CUpti_CallbackData& data) {
  switch (id) {
    case CUPTI_DRIVER_TRACE_CBID_cuGraphLaunch:
    case CUPTI_DRIVER_TRACE_CBID_cuGraphLaunch_ptsz: {
      const auto& from = params<cuGraphLaunch_params>(data);
      recorder_.launch(data.functionName, handle(from.hGraph),
                       handle(static_cast<const void*>(from.hStream)));
      return true;
    }
    case CUPTI_DRIVER_TRACE_CBID_cuGraphUpload:
    case CUPTI_DRIVER_TRACE_CBID_cuGraphUpload_ptsz:
    // Told when they end.
    case CUPTI_DRIVER_TRACE_CBID_cuStreamBeginCapture_v2:
    case CUPTI_DRIVER_TRACE_CBID_cuStreamBeginCapture_v2_ptsz:
    case CUPTI_DRIVER_TRACE_CBID_cuStreamEndCapture:
    case CUPTI_DRIVER_TRACE_CBID_cuStreamEndCapture_ptsz:
    case CUPTI_DRIVER_TRACE_CBID_cuGraphInstantiateWithFlags:
    case CUPTI_DRIVER_TRACE_CBID_cuGraphExecUpdate_v2:
    case CUPTI_DRIVER_TRACE_CBID_cuGraphDestroy:
    case CUPTI_DRIVER_TRACE_CBID_cuGraphExecDestroy: return true;
    default: return false;
  }
}

// While the case is not followed, what is made or changed is not known, and its handle may be one that was
// known.
void CallReader::follow_graph(CUpti_CallbackId id, const CUpti_CallbackData& data) {
  const bool followed = recorder_.recording();
  const auto* const result = static_cast<const CUresult*>(data.functionReturnValue);
  const bool done = result != nullptr && *result == CUDA_SUCCESS;
  const char* const name = data.functionName;
  switch (id) {
    case CUPTI_DRIVER_TRACE_CBID_cuStreamBeginCapture_v2:
    case CUPTI_DRIVER_TRACE_CBID_cuStreamBeginCapture_v2_ptsz:
      if (followed && done)
        recorder_.begin_capture(
            handle(static_cast<const void*>(params<cuStreamBeginCapture_v2_params>(data).hStream)));
      return;
    case CUPTI_DRIVER_TRACE_CBID_cuStreamEndCapture:
    case CUPTI_DRIVER_TRACE_CBID_cuStreamEndCapture_ptsz: {
      const auto& from = params<cuStreamEndCapture_params>(data);
      const std::uint64_t graph = done && from.phGraph != nullptr ? handle(*from.phGraph) : 0;
      recorder_.end_capture(handle(static_cast<const void*>(from.hStream)), followed ? graph : 0);
      if (!followed) recorder_.destroy_graph(graph);
      return;
    }
    case CUPTI_DRIVER_TRACE_CBID_cuGraphInstantiateWithFlags: {
      const auto& from = params<cuGraphInstantiateWithFlags_params>(data);
      if (!done || from.phGraphExec == nullptr) return;
      if (followed)
        return recorder_.instantiate(name, handle(from.hGraph), handle(*from.phGraphExec), from.flags);
      return recorder_.destroy_graph(handle(*from.phGraphExec));
    }
    case CUPTI_DRIVER_TRACE_CBID_cuGraphExecUpdate_v2: {
      const auto& from = params<cuGraphExecUpdate_v2_params>(data);
      if (followed && done) return recorder_.update(name, handle(from.hGraph), handle(from.hGraphExec));
      return recorder_.destroy_graph(handle(from.hGraphExec));
    }
    case CUPTI_DRIVER_TRACE_CBID_cuGraphDestroy:
      return recorder_.destroy_graph(handle(params<cuGraphDestroy_params>(data).hGraph));
    case CUPTI_DRIVER_TRACE_CBID_cuGraphExecDestroy:
      return recorder_.destroy_graph(handle(params<cuGraphExecDestroy_params>(data).hGraphExec));
    case CUPTI_DRIVER_TRACE_CBID_cuGraphLaunch:
    case CUPTI_DRIVER_TRACE_CBID_cuGraphLaunch_ptsz:
    case CUPTI_DRIVER_TRACE_CBID_cuGraphUpload:
    case CUPTI_DRIVER_TRACE_CBID_cuGraphUpload_ptsz: return;
    default:
      if (std::string_view(name).starts_with("cuGraph") && !is_harmless(name)) recorder_.forget_graphs();
  }
}

void CallReader::end(CUpti_CallbackId id, const CUpti_CallbackData& data) {
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
