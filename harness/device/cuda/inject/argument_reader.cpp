#include "harness/device/cuda/inject/argument_reader.h"

#include <algorithm>
#include <array>
#include <cstring>
#include <span>
#include <utility>

#include "harness/device/cuda/profiling/calls/callback.h"
#include "harness/device/cuda/profiling/calls/launch_words.h"

namespace harness::inject {
namespace {

using cuda::is_in;
using cuda::params;

const std::vector<CUpti_CallbackId> launches{CUPTI_DRIVER_TRACE_CBID_cuLaunchKernel,
                                             CUPTI_DRIVER_TRACE_CBID_cuLaunchKernel_ptsz,
                                             CUPTI_DRIVER_TRACE_CBID_cuLaunchKernelEx,
                                             CUPTI_DRIVER_TRACE_CBID_cuLaunchKernelEx_ptsz,
                                             CUPTI_DRIVER_TRACE_CBID_cuLaunchCooperativeKernel,
                                             CUPTI_DRIVER_TRACE_CBID_cuLaunchCooperativeKernel_ptsz};
// After these a value that was no address may be one.
const std::vector<CUpti_CallbackId> allocating{CUPTI_DRIVER_TRACE_CBID_cuMemAlloc_v2,
                                               CUPTI_DRIVER_TRACE_CBID_cuMemAllocPitch_v2,
                                               CUPTI_DRIVER_TRACE_CBID_cuMemAllocManaged,
                                               CUPTI_DRIVER_TRACE_CBID_cuMemAllocAsync,
                                               CUPTI_DRIVER_TRACE_CBID_cuMemAllocAsync_ptsz,
                                               CUPTI_DRIVER_TRACE_CBID_cuMemAllocFromPoolAsync,
                                               CUPTI_DRIVER_TRACE_CBID_cuMemAllocFromPoolAsync_ptsz,
                                               CUPTI_DRIVER_TRACE_CBID_cuMemAllocHost_v2,
                                               CUPTI_DRIVER_TRACE_CBID_cuMemHostAlloc,
                                               CUPTI_DRIVER_TRACE_CBID_cuMemHostRegister_v2,
                                               CUPTI_DRIVER_TRACE_CBID_cuMemMap,
                                               CUPTI_DRIVER_TRACE_CBID_cuIpcOpenMemHandle_v2,
                                               CUPTI_DRIVER_TRACE_CBID_cuMemPoolImportPointer};
// After these another allocation may lie at an address.
const std::vector<CUpti_CallbackId> freeing{
    CUPTI_DRIVER_TRACE_CBID_cuMemFree_v2,        CUPTI_DRIVER_TRACE_CBID_cuMemFreeAsync,
    CUPTI_DRIVER_TRACE_CBID_cuMemFreeAsync_ptsz, CUPTI_DRIVER_TRACE_CBID_cuMemFreeHost,
    CUPTI_DRIVER_TRACE_CBID_cuMemHostUnregister, CUPTI_DRIVER_TRACE_CBID_cuMemUnmap,
    CUPTI_DRIVER_TRACE_CBID_cuIpcCloseMemHandle, CUPTI_DRIVER_TRACE_CBID_cuMemPoolDestroy};
// After these another function may have a handle.
const std::vector<CUpti_CallbackId> unloading{CUPTI_DRIVER_TRACE_CBID_cuModuleUnload,
                                              CUPTI_DRIVER_TRACE_CBID_cuLibraryUnload};

const std::vector<CUpti_CallbackId> recording{
    CUPTI_DRIVER_TRACE_CBID_cuEventRecord, CUPTI_DRIVER_TRACE_CBID_cuEventRecord_ptsz,
    CUPTI_DRIVER_TRACE_CBID_cuEventRecordWithFlags, CUPTI_DRIVER_TRACE_CBID_cuEventRecordWithFlags_ptsz};
const std::vector<CUpti_CallbackId> waiting{CUPTI_DRIVER_TRACE_CBID_cuStreamWaitEvent,
                                            CUPTI_DRIVER_TRACE_CBID_cuStreamWaitEvent_ptsz};

}  // namespace

const std::vector<CUpti_CallbackId>& argument_calls() {
  static const std::vector<CUpti_CallbackId> all = [] {
    std::vector<CUpti_CallbackId> calls = launches;
    for (const auto* more : {&allocating, &freeing, &unloading, &graph_calls()})
      calls.insert(calls.end(), more->begin(), more->end());
    return calls;
  }();
  return all;
}

const std::vector<CUpti_CallbackId>& order_calls() {
  static const std::vector<CUpti_CallbackId> all = [] {
    std::vector<CUpti_CallbackId> calls{CUPTI_DRIVER_TRACE_CBID_cuEventDestroy_v2};
    for (const auto* more : {&recording, &waiting}) calls.insert(calls.end(), more->begin(), more->end());
    return calls;
  }();
  return all;
}

bool is_launch(CUpti_CallbackId id) {
  return is_in(launches, id);
}

std::optional<ArgumentReader::Launch> ArgumentReader::launch_of(CUpti_CallbackId id,
                                                                const CUpti_CallbackData& data) {
  switch (id) {
    case CUPTI_DRIVER_TRACE_CBID_cuLaunchKernel:
    case CUPTI_DRIVER_TRACE_CBID_cuLaunchKernel_ptsz: {
      const auto& from = params<cuLaunchKernel_params>(data);
      return Launch{from.f, from.hStream, from.kernelParams, from.extra, nullptr};
    }
    case CUPTI_DRIVER_TRACE_CBID_cuLaunchCooperativeKernel:
    case CUPTI_DRIVER_TRACE_CBID_cuLaunchCooperativeKernel_ptsz: {
      const auto& from = params<cuLaunchCooperativeKernel_params>(data);
      return Launch{from.f, from.hStream, from.kernelParams, nullptr, nullptr};
    }
    case CUPTI_DRIVER_TRACE_CBID_cuLaunchKernelEx:
    case CUPTI_DRIVER_TRACE_CBID_cuLaunchKernelEx_ptsz: {
      const auto& from = params<cuLaunchKernelEx_params>(data);
      if (from.config == nullptr) return std::nullopt;
      return Launch{from.f, from.config->hStream, from.kernelParams, from.extra, from.config};
    }
    default: return std::nullopt;
  }
}

std::optional<ArgumentReader::Given> ArgumentReader::take(CUpti_CallbackId id,
                                                          const CUpti_CallbackData& data) {
  const bool begins = data.callbackSite == CUPTI_API_ENTER, launches_kernel = is_launch(id);
  if (launches_kernel && !begins) return std::nullopt;
  const std::lock_guard lock(mutex_);
  if (is_of_graphs(id)) return take_graph_call(id, data);
  if (!launches_kernel) {
    if (!begins && is_in(allocating, id)) no_addresses_.fill(0);
    if (begins && id == CUPTI_DRIVER_TRACE_CBID_cuMemAllocManaged) add_managed(data);
    if (is_in(freeing, id)) forget_memory();
    if (is_in(unloading, id)) {
      sizes_.clear();
      numbers_of_functions_.clear();
    }
    return std::nullopt;
  }
  const std::optional<Launch> launch = data.functionParams != nullptr ? launch_of(id, data) : std::nullopt;
  ArgumentHash hash;
  Given given;
  if (launch && add(hash, *launch)) given = {hash.finished(), hash.take_words(), 0, nullptr};
  if (launch) given.function = number_of(launch->function);
  return given;
}

std::optional<std::uint32_t> ArgumentReader::take_order(CUpti_CallbackId id, const CUpti_CallbackData& data) {
  if (data.callbackSite != CUPTI_API_ENTER || data.functionParams == nullptr || !is_in(order_calls(), id))
    return std::nullopt;
  const std::lock_guard lock(mutex_);
  if (id == CUPTI_DRIVER_TRACE_CBID_cuEventDestroy_v2) {
    events_.erase(params<cuEventDestroy_v2_params>(data).hEvent);
    return std::nullopt;
  }
  const bool waits = is_in(waiting, id);
  // Both begin with another order of the two.
  const CUevent event =
      waits ? params<cuStreamWaitEvent_params>(data).hEvent : params<cuEventRecord_params>(data).hEvent;
  const CUstream stream =
      waits ? params<cuStreamWaitEvent_params>(data).hStream : params<cuEventRecord_params>(data).hStream;
  const auto [known, fresh] = events_.try_emplace(event, events_met_);
  if (fresh) ++events_met_;
  ArgumentHash hash;
  hash.add(std::array<std::uint64_t, 3>{waits ? 1U : 0U, number_of(stream), known->second});
  return static_cast<std::uint32_t>(hash.finished());
}

std::size_t ArgumentReader::number_of(CUfunction function) {
  const auto [known, fresh] = numbers_of_functions_.try_emplace(function, functions_.size());
  if (fresh) functions_.push_back(function_of(driver_, function));
  return known->second;
}

LaunchedFunction ArgumentReader::function(std::size_t number) {
  const std::lock_guard lock(mutex_);
  return number < functions_.size() ? functions_[number] : LaunchedFunction{};
}

bool ArgumentReader::add(ArgumentHash& hash, const Launch& launch) {
  hash.add(number_of(launch.stream));
  int priority = 0;
  if (driver_.StreamGetPriority(launch.stream, &priority) == CUDA_SUCCESS)
    hash.add(static_cast<std::uint64_t>(priority));
  if (launch.config != nullptr && !add_attributes(hash, *launch.config)) return false;
  if (launch.extra != nullptr) return add_buffer(hash, launch.extra);
  const std::vector<std::size_t>* sizes = sizes_of(launch.function);
  if (sizes == nullptr || (!sizes->empty() && launch.parameters == nullptr)) return false;
  for (std::size_t i = 0; i < sizes->size(); ++i) add_bytes(hash, launch.parameters[i], (*sizes)[i]);
  return true;
}

bool ArgumentReader::add_attributes(ArgumentHash& hash, const CUlaunchConfig& config) {
  hash.add(config.numAttrs);
  for (unsigned i = 0; i < config.numAttrs; ++i) {
    const CUlaunchAttribute& one = config.attrs[i];
    DriverCall call;
    if (!cuda::add_attribute(call, one)) return false;
    hash.add(static_cast<std::uint64_t>(one.id));
    for (const auto& [name, value] : call.figures) hash.add(static_cast<std::uint64_t>(value));
    if (one.id == CU_LAUNCH_ATTRIBUTE_ACCESS_POLICY_WINDOW)
      add_word(hash, reinterpret_cast<std::uint64_t>(one.value.accessPolicyWindow.base_ptr));
  }
  return true;
}

bool ArgumentReader::add_buffer(ArgumentHash& hash, void** extra) {
  const void* buffer = nullptr;
  std::size_t bytes = 0;
  for (void** one = extra; *one != CU_LAUNCH_PARAM_END; one += 2) {
    if (*one == CU_LAUNCH_PARAM_BUFFER_POINTER) buffer = one[1];
    if (*one == CU_LAUNCH_PARAM_BUFFER_SIZE) bytes = *static_cast<const std::size_t*>(one[1]);
  }
  if (buffer != nullptr) add_bytes(hash, buffer, bytes);
  return buffer != nullptr || bytes == 0;
}

// The last word is filled up with zeros.
void ArgumentReader::add_bytes(ArgumentHash& hash, const void* bytes, std::size_t count) {
  hash.add(count);
  for (std::size_t at = 0; at < count; at += sizeof(std::uint64_t)) {
    std::uint64_t value = 0;
    std::memcpy(&value, static_cast<const std::byte*>(bytes) + at, std::min(sizeof value, count - at));
    add_word(hash, value);
  }
}

void ArgumentReader::add_word(ArgumentHash& hash, std::uint64_t value) {
  enum Kind : std::uint64_t { number = 1, address, host };
  if (const Allocation* found = allocation_of(value)) {
    if (found->of_host && of_host_.insert(found->number).second) shared_ += found->range.bytes;
    hash.add(
        std::array<std::uint64_t, 4>{address, found->number, found->range.bytes, value - found->range.begin});
  } else if (host_.contain(value)) {  // libraries leave such addresses where their kernels do not use them
    hash.add(host);
  } else {
    hash.add(std::array<std::uint64_t, 2>{number, value});
  }
}

// A handle may be a CUkernel's.
const std::vector<std::size_t>* ArgumentReader::sizes_of(CUfunction function) {
  const auto [known, fresh] = sizes_.try_emplace(function);
  std::optional<std::vector<std::size_t>>& sizes = known->second;
  if (!fresh) return sizes ? &*sizes : nullptr;
  std::vector<std::size_t> found;
  for (std::size_t i = 0;; ++i) {
    std::size_t offset = 0, bytes = 0;
    CUresult code = driver_.FuncGetParamInfo(function, i, &offset, &bytes);
    if (code == CUDA_ERROR_INVALID_HANDLE)
      code = driver_.KernelGetParamInfo(reinterpret_cast<CUkernel>(function), i, &offset, &bytes);
    if (code == CUDA_ERROR_INVALID_VALUE) break;  // there are no more
    if (code != CUDA_SUCCESS) return nullptr;
    found.push_back(bytes);
  }
  sizes = std::move(found);
  return &*sizes;
}

const ArgumentReader::Allocation* ArgumentReader::allocation_of(std::uint64_t value) {
  if (!may_be_address(value)) return nullptr;
  auto after = allocations_.upper_bound(value);
  if (after != allocations_.begin() && std::prev(after)->second.range.contains(value))
    return &std::prev(after)->second;
  std::uint64_t& slot = no_addresses_[(value * 0x9e3779b97f4a7c15U) >> 52];
  if (slot == value) return nullptr;
  const Word word = cuda::word_of(driver_, value);
  if (word.memory == Word::Memory::none || !word.allocation.contains(value)) {
    slot = value;
    return nullptr;
  }
  const std::uint64_t number = numbers_.try_emplace(word.id, numbers_.size()).first->second;
  const bool of_host = word.memory == Word::Memory::host;
  return &(allocations_[word.allocation.begin] = {word.allocation, number, of_host});
}

void ArgumentReader::add_managed(const CUpti_CallbackData& data) {
  if (data.functionParams != nullptr) shared_ += params<cuMemAllocManaged_params>(data).bytesize;
}

std::uint64_t ArgumentReader::shared_bytes() {
  const std::lock_guard lock(mutex_);
  return shared_;
}

void ArgumentReader::forget_memory() {
  allocations_.clear();
  no_addresses_.fill(0);
}

}  // namespace harness::inject
