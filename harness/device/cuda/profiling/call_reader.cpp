#include "harness/device/cuda/profiling/call_reader.h"

#include <elf.h>
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <initializer_list>
#include <span>
#include <utility>

#include "harness/base/bulk_hash.h"
#include "harness/device/code/kernel_launches.h"

namespace harness::cuda {
namespace {

using Kind = DriverCall::Kind;

// The smallest and the largest value that can be an address; the driver need not be asked about others.
constexpr std::uint64_t least_address = 1 << 12;
constexpr std::uint64_t most_address = std::uint64_t{1} << 57;

// A thread that asks the driver inside of a callback calls back again.
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

template <class Params>
const Params& params(const CUpti_CallbackData& data) {
  return *static_cast<const Params*>(data.functionParams);
}

std::uint64_t handle(const void* pointer) {
  return reinterpret_cast<std::uint64_t>(pointer);
}

std::optional<std::uint64_t> handle(std::optional<CUstream> stream) {
  return stream ? std::optional(handle(static_cast<const void*>(*stream))) : std::nullopt;
}

void add_figures(DriverCall& call, std::initializer_list<std::pair<const char*, std::int64_t>> figures) {
  call.figures.insert(call.figures.end(), figures.begin(), figures.end());
}

std::int64_t bits_of(float value) {
  std::int32_t bits = 0;
  std::memcpy(&bits, &value, sizeof bits);
  return bits;
}

// The figures of an attribute of a launch. False where the harness does not know it, or it names an event.
bool add_attribute(DriverCall& call, const CUlaunchAttribute& one) {
  const CUlaunchAttributeValue& value = one.value;
  const auto add = [&](const char* name, std::int64_t figure) { call.figures.emplace_back(name, figure); };
  switch (static_cast<int>(one.id)) {
    case CU_LAUNCH_ATTRIBUTE_IGNORE: return true;
    case CU_LAUNCH_ATTRIBUTE_ACCESS_POLICY_WINDOW:
      add("window_bytes", static_cast<std::int64_t>(value.accessPolicyWindow.num_bytes));
      add("window_ratio", bits_of(value.accessPolicyWindow.hitRatio));
      add("window_hit", value.accessPolicyWindow.hitProp);
      add("window_miss", value.accessPolicyWindow.missProp);
      return true;
    case CU_LAUNCH_ATTRIBUTE_COOPERATIVE: add("cooperative", value.cooperative); return true;
    case CU_LAUNCH_ATTRIBUTE_SYNCHRONIZATION_POLICY: add("sync_policy", value.syncPolicy); return true;
    case CU_LAUNCH_ATTRIBUTE_CLUSTER_DIMENSION:
      add("cluster_x", value.clusterDim.x);
      add("cluster_y", value.clusterDim.y);
      add("cluster_z", value.clusterDim.z);
      return true;
    case CU_LAUNCH_ATTRIBUTE_CLUSTER_SCHEDULING_POLICY_PREFERENCE:
      add("cluster_scheduling", value.clusterSchedulingPolicyPreference);
      return true;
    case CU_LAUNCH_ATTRIBUTE_PROGRAMMATIC_STREAM_SERIALIZATION:
      add("programmatic_serialization", value.programmaticStreamSerializationAllowed);
      return true;
    case CU_LAUNCH_ATTRIBUTE_PRIORITY: add("priority", value.priority); return true;
    case CU_LAUNCH_ATTRIBUTE_MEM_SYNC_DOMAIN_MAP:
      add("sync_domain_default", value.memSyncDomainMap.default_);
      add("sync_domain_remote", value.memSyncDomainMap.remote);
      return true;
    case CU_LAUNCH_ATTRIBUTE_MEM_SYNC_DOMAIN: add("sync_domain", value.memSyncDomain); return true;
    case CU_LAUNCH_ATTRIBUTE_PREFERRED_CLUSTER_DIMENSION:
      add("preferred_cluster_x", value.preferredClusterDim.x);
      add("preferred_cluster_y", value.preferredClusterDim.y);
      add("preferred_cluster_z", value.preferredClusterDim.z);
      return true;
    case CU_LAUNCH_ATTRIBUTE_PREFERRED_SHARED_MEMORY_CARVEOUT:
      add("carveout", value.sharedMemCarveout);
      return true;
    default: return false;
  }
}

// The image that a function is told to load, where it is a cubin itself: an ELF file, whose headers of
// sections come last. Other kinds, compressed ones for example, come by way of the driver.
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
  if (begin_launch(id, data) || begin_copy(id, data) || begin_fill(id, data) || begin_order(id, data)) return;
  if (is_harmless(data.functionName)) return;
  recorder_.add_gap({CauseCode::call_not_followed, {{"call", std::string(data.functionName)}}});
}

bool CallReader::begin_launch(CUpti_CallbackId id, const CUpti_CallbackData& data) {
  DriverCall call{Kind::kernel, data.symbolName != nullptr ? data.symbolName : "", {}};
  const auto add_shape = [&](const auto& from) {
    add_figures(call, {{"grid_x", from.gridDimX},
                       {"grid_y", from.gridDimY},
                       {"grid_z", from.gridDimZ},
                       {"block_x", from.blockDimX},
                       {"block_y", from.blockDimY},
                       {"block_z", from.blockDimZ},
                       {"dynamic_shared_bytes", from.sharedMemBytes}});
  };
  switch (id) {
    case CUPTI_DRIVER_TRACE_CBID_cuLaunchKernel:
    case CUPTI_DRIVER_TRACE_CBID_cuLaunchKernel_ptsz: {
      const auto& from = params<cuLaunchKernel_params>(data);
      add_shape(from);
      add_launch(std::move(call), {from.f, from.hStream, from.kernelParams, from.extra});
      return true;
    }
    case CUPTI_DRIVER_TRACE_CBID_cuLaunchCooperativeKernel:
    case CUPTI_DRIVER_TRACE_CBID_cuLaunchCooperativeKernel_ptsz: {
      const auto& from = params<cuLaunchCooperativeKernel_params>(data);
      add_shape(from);
      add_figures(call, {{"cooperative", 1}});
      add_launch(std::move(call), {from.f, from.hStream, from.kernelParams, nullptr});
      return true;
    }
    case CUPTI_DRIVER_TRACE_CBID_cuLaunchKernelEx:
    case CUPTI_DRIVER_TRACE_CBID_cuLaunchKernelEx_ptsz: {
      const auto& from = params<cuLaunchKernelEx_params>(data);
      add_shape(*from.config);
      if (!add_attributes(call, *from.config)) {
        recorder_.add_gap({CauseCode::call_not_followed, {{"call", std::string(data.functionName)}}});
        return true;
      }
      add_launch(std::move(call), {from.f, from.config->hStream, from.kernelParams, from.extra});
      return true;
    }
    default: return false;
  }
}

bool CallReader::add_attributes(DriverCall& call, const CUlaunchConfig& config) const {
  for (unsigned i = 0; i < config.numAttrs; ++i) {
    const CUlaunchAttribute& one = config.attrs[i];
    if (!add_attribute(call, one)) return false;
    if (one.id == CU_LAUNCH_ATTRIBUTE_ACCESS_POLICY_WINDOW)
      call.words.push_back(word(handle(one.value.accessPolicyWindow.base_ptr)));
  }
  return true;
}

void CallReader::add_launch(DriverCall call, const Launch& launch) {
  call.stream = handle(static_cast<const void*>(launch.stream));
  CUcontext context = nullptr;
  if (driver_.CtxGetCurrent(&context) == CUDA_SUCCESS) call.context = handle(context);
  int value = 0;
  if (driver_.StreamGetPriority(launch.stream, &value) == CUDA_SUCCESS)
    call.figures.emplace_back("stream_priority", value);
  unsigned flags = 0;
  if (driver_.StreamGetFlags(launch.stream, &flags) == CUDA_SUCCESS)
    call.figures.emplace_back("stream_flags", flags);
  add_modules(call, launch);
  add_function(call, function_of(launch.function));
  if (!add_arguments(call, launch))
    recorder_.add_gap({CauseCode::arguments_unread, {{"kernel", demangled(call.name)}}});
  recorder_.add(std::move(call));
}

// A CUkernel may stand for the function of the context at hand.
CUfunction CallReader::function_of(CUfunction handle) const {
  int value = 0;
  if (driver_.FuncGetAttribute(&value, CU_FUNC_ATTRIBUTE_NUM_REGS, handle) == CUDA_SUCCESS) return handle;
  CUfunction function = nullptr;
  if (driver_.KernelGetFunction(&function, reinterpret_cast<CUkernel>(handle)) == CUDA_SUCCESS)
    return function;
  return handle;
}

void CallReader::add_modules(DriverCall& call, const Launch& launch) {
  const CUfunction function = function_of(launch.function);
  CUmodule module = nullptr;
  if (driver_.FuncGetModule(&module, function) == CUDA_SUCCESS) {
    call.modules[0] = handle(module);
    book_.use(call.modules[0]);
  }
  CUlibrary library = nullptr;
  if (function != launch.function &&
      driver_.KernelGetLibrary(&library, reinterpret_cast<CUkernel>(launch.function)) == CUDA_SUCCESS)
    call.modules[1] = handle(library);
}

// Attributes that this driver does not know are left out; the driver's version is compared beside.
void CallReader::add_function(DriverCall& call, CUfunction function) const {
  for (int i = 0; i < CU_FUNC_ATTRIBUTE_MAX; ++i) {
    if (i == CU_FUNC_ATTRIBUTE_PTX_VERSION) continue;  // of the source, not of the code
    int value = 0;
    if (driver_.FuncGetAttribute(&value, static_cast<CUfunction_attribute>(i), function) == CUDA_SUCCESS)
      call.figures.emplace_back(fmt::format("function_{}", i), value);
  }
}

bool CallReader::add_arguments(DriverCall& call, const Launch& launch) const {
  if (launch.extra != nullptr) {
    const void* buffer = nullptr;
    std::size_t bytes = 0;
    for (void** one = launch.extra; *one != CU_LAUNCH_PARAM_END; one += 2) {
      if (*one == CU_LAUNCH_PARAM_BUFFER_POINTER) buffer = one[1];
      if (*one == CU_LAUNCH_PARAM_BUFFER_SIZE) bytes = *static_cast<const std::size_t*>(one[1]);
    }
    if (buffer != nullptr) add_words(call, buffer, bytes);
    return buffer != nullptr || bytes == 0;
  }
  const CUfunction function = function_of(launch.function);
  for (std::size_t i = 0;; ++i) {
    std::size_t offset = 0;
    std::size_t bytes = 0;
    CUresult code = driver_.FuncGetParamInfo(function, i, &offset, &bytes);
    if (code == CUDA_ERROR_INVALID_HANDLE)
      code = driver_.KernelGetParamInfo(reinterpret_cast<CUkernel>(launch.function), i, &offset, &bytes);
    if (code == CUDA_ERROR_INVALID_VALUE) return true;  // there are no more
    if (code != CUDA_SUCCESS || launch.parameters == nullptr) return false;
    add_words(call, launch.parameters[i], bytes);
  }
}

// The last word is filled up with zeros.
void CallReader::add_words(DriverCall& call, const void* bytes, std::size_t count) const {
  call.figures.emplace_back("argument_bytes", static_cast<std::int64_t>(count));
  for (std::size_t at = 0; at < count; at += sizeof(std::uint64_t)) {
    std::uint64_t value = 0;
    std::memcpy(&value, static_cast<const std::byte*>(bytes) + at, std::min(sizeof value, count - at));
    call.words.push_back(word(value));
  }
}

Word CallReader::word(std::uint64_t value) const {
  Word word{value, Word::Memory::none, {}, 0};
  if (value < least_address || value >= most_address) return word;
  std::array attributes{CU_POINTER_ATTRIBUTE_MEMORY_TYPE, CU_POINTER_ATTRIBUTE_IS_MANAGED,
                        CU_POINTER_ATTRIBUTE_BUFFER_ID, CU_POINTER_ATTRIBUTE_RANGE_START_ADDR,
                        CU_POINTER_ATTRIBUTE_RANGE_SIZE};
  std::uint64_t type = 0, managed = 0, id = 0, begin = 0, bytes = 0;
  std::array<void*, attributes.size()> values{&type, &managed, &id, &begin, &bytes};
  if (driver_.PointerGetAttributes(static_cast<unsigned>(attributes.size()), attributes.data(), values.data(),
                                   value) != CUDA_SUCCESS)
    return word;
  if (managed != 0)
    word.memory = Word::Memory::managed;
  else if (type == CU_MEMORYTYPE_DEVICE)
    word.memory = Word::Memory::device;
  else if (type != 0)
    word.memory = Word::Memory::host;
  word.allocation = {begin, bytes};
  word.id = id;
  return word;
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

// Either end may be on the host.
void CallReader::add_copy(const char* name, CUdeviceptr to, CUdeviceptr from, std::size_t bytes,
                          std::optional<CUstream> stream) {
  const Word target = word(to), source = word(from);
  const auto on_host = [](const Word& one) {
    return one.memory == Word::Memory::none || one.memory == Word::Memory::host;
  };
  if (on_host(target)) {
    if (!on_host(source)) add_fetch(name, from, bytes, stream);
    return;
  }
  if (on_host(source)) return add_upload(name, to, reinterpret_cast<const void*>(from), bytes, stream);
  if (bytes == 0) return;
  DriverCall call{Kind::copy, name, handle(stream)};
  add_figures(call, {{"bytes", static_cast<std::int64_t>(bytes)}});
  call.words = {target, source};
  recorder_.add(std::move(call));
}

// The words of the content may be addresses, too, of a table for example: then it has no hash that another
// process would find again.
void CallReader::add_upload(const char* name, CUdeviceptr to, const void* from, std::size_t bytes,
                            std::optional<CUstream> stream) {
  if (bytes == 0) return;
  DriverCall call{Kind::copy, name, handle(stream)};
  add_figures(call, {{"bytes", static_cast<std::int64_t>(bytes)}});
  call.words = {word(to)};
  call.content = bulk_hash({static_cast<const char*>(from), bytes});
  recorder_.add(std::move(call));
}

void CallReader::add_fetch(const char* name, CUdeviceptr from, std::size_t bytes,
                           std::optional<CUstream> stream) {
  if (bytes == 0) return;
  DriverCall call{Kind::fetch, name, handle(stream)};
  add_figures(call, {{"bytes", static_cast<std::int64_t>(bytes)}});
  call.words = {word(from)};
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
  DriverCall call{Kind::fill, name, handle(stream)};
  add_figures(call, {{"value", value}, {"count", static_cast<std::int64_t>(count)}});
  call.words = {word(to)};
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
      call.words = {word(params<cuMemFree_v2_params>(data).dptr)};
      break;
    case CUPTI_DRIVER_TRACE_CBID_cuMemFreeAsync:
    case CUPTI_DRIVER_TRACE_CBID_cuMemFreeAsync_ptsz: {
      const auto& from = params<cuMemFreeAsync_params>(data);
      call.stream = handle(static_cast<const void*>(from.hStream));
      call.words = {word(from.dptr)};
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
  DriverCall call{Kind::order, data.functionName, handle(stream)};
  call.words = {word(*got)};
  recorder_.add_own(call.words.front().id);
  recorder_.add(std::move(call));
}

}  // namespace harness::cuda
