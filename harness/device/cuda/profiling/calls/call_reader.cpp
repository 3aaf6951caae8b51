#include "harness/device/cuda/profiling/calls/call_reader.h"

#include <utility>

#include "harness/device/cuda/profiling/calls/callback.h"
#include "harness/device/cuda/profiling/calls/harmless_functions.h"
#include "harness/device/cuda/profiling/calls/load_calls.h"

namespace harness::cuda {
namespace {

// A driver call inside a callback would cause another callback.
thread_local bool reading = false;

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

void CallReader::follow_load(CUpti_CallbackId id, const CUpti_CallbackData& data) {
  if (!is_load(id)) return;
  if (data.callbackSite == CUPTI_API_ENTER) return book_.begin_load();
  book_.end_load(loaded_handle(data), image_to_load(id, data));
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
