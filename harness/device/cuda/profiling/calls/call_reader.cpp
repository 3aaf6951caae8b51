#include "harness/device/cuda/profiling/calls/call_reader.h"

#include <elf.h>

#include <cstring>
#include <span>
#include <utility>

#include "harness/device/cuda/profiling/calls/callback.h"
#include "harness/device/cuda/profiling/calls/harmless_functions.h"

namespace harness::cuda {
namespace {

// A driver call inside a callback would cause another callback.
thread_local bool reading = false;

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

void CallReader::take(CUpti_CallbackId id, const CUpti_CallbackData& data) {
  if (reading) return;
  follow_load(id, data);
  if (data.callbackSite == CUPTI_API_EXIT) graphs_.end(id, data);
  if (!recorder_.recording()) return;
  reading = true;
  const Scope done([] { reading = false; });
  if (data.callbackSite == CUPTI_API_ENTER)
    begin(id, data);
  else
    memory_.end(id, data);
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
  if (launches_.begin(id, data) || memory_.begin(id, data) || begin_order(id, data) ||
      graphs_.begin(id, data))
    return;
  if (is_harmless(data.functionName)) return;
  recorder_.add_gap({CauseCode::call_not_followed, {{"call", std::string(data.functionName)}}});
}

bool CallReader::begin_order(CUpti_CallbackId id, const CUpti_CallbackData& data) {
  DriverCall call{DriverCall::Kind::order, data.functionName, {}};
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
    default: return false;
  }
  recorder_.add(std::move(call));
  return true;
}

}  // namespace harness::cuda
