#include "harness/device/cuda/profiling/calls/graph_reader.h"

#include <string_view>

#include "harness/device/cuda/profiling/calls/callback.h"
#include "harness/device/cuda/profiling/calls/harmless_functions.h"

namespace harness::cuda {

// Functions that make a graph in another way, or change one, are not among them.
bool GraphReader::begin(CUpti_CallbackId id, const CUpti_CallbackData& data) {
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
void GraphReader::end(CUpti_CallbackId id, const CUpti_CallbackData& data) {
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

}  // namespace harness::cuda
