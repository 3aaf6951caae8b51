// A stand-in for libcupti: records what tests execute, counts what they collect, refuses what they want
// refused. One thread. Every function has CUPTI's own prototype, so the compiler checks them.
#include "fake_cupti.h"

#include <cupti_profiler_host.h>
#include <cupti_range_profiler.h>
#include <cupti_target.h>

#include <algorithm>
#include <cstring>

namespace {

FakeCupti* state() {
  static FakeCupti fake;
  return &fake;
}

CUptiResult asked(const char* function) {
  const auto found = state()->failures.find(function);
  return found == state()->failures.end() ? CUPTI_SUCCESS : found->second;
}

struct {
  CUpti_CallbackFunc function = nullptr;
  void* data = nullptr;
  bool modules = false;
  bool calls = false;
  bool launches = false;
} subscriber;

struct {
  CUpti_BuffersCallbackRequestFunc requested = nullptr;
  CUpti_BuffersCallbackCompleteFunc completed = nullptr;
  std::uint8_t* bytes = nullptr;
  std::size_t size = 0;
  std::size_t used = 0;
} buffer;

void hand_in() {
  if (buffer.bytes != nullptr) buffer.completed(nullptr, 0, buffer.bytes, buffer.size, buffer.used);
  buffer.bytes = nullptr;
  buffer.size = buffer.used = 0;
}

template <class Record>
void write(const Record& record) {
  if (buffer.bytes != nullptr && buffer.used + sizeof record > buffer.size) hand_in();
  if (buffer.bytes == nullptr) {
    std::size_t most = 0;
    buffer.requested(&buffer.bytes, &buffer.size, &most);
  }
  if (buffer.bytes == nullptr) {
    ++state()->dropped;
    return;
  }
  std::memcpy(buffer.bytes + buffer.used, &record, sizeof record);
  buffer.used += sizeof record;
}

bool enabled(CUpti_ActivityKind kind) {
  return std::find(state()->kinds.begin(), state()->kinds.end(), kind) != state()->kinds.end();
}

std::size_t size_of(CUpti_ActivityKind kind) {
  return kind == CUPTI_ACTIVITY_KIND_MEMSET ? sizeof(CUpti_ActivityMemset4) : sizeof(CUpti_ActivityKernel10);
}

CUptiResult subscribe(CUpti_SubscriberHandle* handle, CUpti_CallbackFunc function, void* data) {
  if (const CUptiResult code = asked("Subscribe"); code != CUPTI_SUCCESS) return code;
  if (!state()->holder.empty() || state()->subscribed) return CUPTI_ERROR_MULTIPLE_SUBSCRIBERS_NOT_SUPPORTED;
  state()->subscribed = true;
  subscriber = {function, data, false, false, false};
  *handle = reinterpret_cast<CUpti_SubscriberHandle>(&subscriber);
  return CUPTI_SUCCESS;
}

const char* const chips[] = {"GA100", "GH100"};
const char* counters[] = {"dram__bytes_read", "dram__bytes_write", "sm__cycles_elapsed"};
const char* ratios[] = {"lts__t_sector_hit_rate"};
const char* counter_endings[] = {".avg", ".max", ".sum", ".sum.per_second"};
const char* ratio_endings[] = {".pct", ".ratio"};

bool is_ratio(const std::string& name) {
  return name.starts_with(ratios[0]);
}

bool exists(const std::string& name) {
  const std::size_t dot = name.find('.');
  const std::string base = name.substr(0, dot), ending = dot == std::string::npos ? "" : name.substr(dot);
  const auto has = [](const auto& list, const std::string& one) {
    return std::any_of(std::begin(list), std::end(list), [&](const char* other) { return one == other; });
  };
  return (has(counters, base) && (ending.empty() || has(counter_endings, ending))) ||
         (has(ratios, base) && (ending.empty() || has(ratio_endings, ending)));
}

}  // namespace

extern "C" {

FakeCupti* fake_cupti() {
  return state();
}

void fake_cupti_execute(const char* name, std::uint64_t nanoseconds, bool timed) {
  const std::uint64_t start = timed ? state()->clock : 0;
  const std::uint32_t correlation = ++state()->correlation;
  const bool fills = std::strcmp(name, "[memset]") == 0;
  if (subscriber.launches && !fills) {
    CUpti_CallbackData call{};
    call.correlationId = correlation;
    call.symbolName = name;
    subscriber.function(subscriber.data, CUPTI_CB_DOMAIN_DRIVER_API, CUPTI_DRIVER_TRACE_CBID_cuLaunchKernel,
                        &call);
  }
  state()->clock += nanoseconds + 100;
  if (fills) {
    if (!enabled(CUPTI_ACTIVITY_KIND_MEMSET)) return;
    CUpti_ActivityMemset4 record{};
    record.kind = CUPTI_ACTIVITY_KIND_MEMSET;
    record.start = start;
    record.end = timed ? start + nanoseconds : 0;
    record.correlationId = correlation;
    return write(record);
  }
  if (!enabled(CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL)) return;
  CUpti_ActivityKernel10 record{};
  record.kind = CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL;
  record.name = name;
  record.gridX = 8;
  record.gridY = record.gridZ = record.blockY = record.blockZ = 1;
  record.blockX = 256;
  record.registersPerThread = 32;
  record.start = start;
  record.end = timed ? start + nanoseconds : 0;
  record.correlationId = correlation;
  write(record);
}

void fake_cupti_load(const char* image, std::size_t bytes) {
  if (!state()->subscribed || !subscriber.modules) return;
  CUpti_ModuleResourceData module{};
  module.pCubin = image;
  module.cubinSize = bytes;
  CUpti_ResourceData resource{};
  resource.resourceDescriptor = &module;
  subscriber.function(subscriber.data, CUPTI_CB_DOMAIN_RESOURCE, CUPTI_CBID_RESOURCE_MODULE_LOADED,
                      &resource);
}

void fake_cupti_call(CUpti_CallbackId id, const char* function, const void* params, const char* kernel,
                     const std::function<void()>* work) {
  const bool told = state()->subscribed && subscriber.calls;
  CUpti_CallbackData data{};
  data.functionName = function;
  data.functionParams = params;
  data.symbolName = kernel;
  data.callbackSite = CUPTI_API_ENTER;
  if (told) subscriber.function(subscriber.data, CUPTI_CB_DOMAIN_DRIVER_API, id, &data);
  if (work != nullptr && *work) (*work)();
  CUresult done = CUDA_SUCCESS;
  data.functionReturnValue = &done;
  data.callbackSite = CUPTI_API_EXIT;
  if (told) subscriber.function(subscriber.data, CUPTI_CB_DOMAIN_DRIVER_API, id, &data);
}

CUptiResult cuptiGetVersion(uint32_t* version) {
  *version = state()->version;
  return asked("GetVersion");
}
CUptiResult cuptiGetResultString(CUptiResult result, const char** string) {
  *string =
      result == CUPTI_ERROR_INSUFFICIENT_PRIVILEGES ? "CUPTI_ERROR_INSUFFICIENT_PRIVILEGES" : "CUPTI_ERROR";
  return CUPTI_SUCCESS;
}
CUptiResult cuptiGetTimestamp(uint64_t* timestamp) {
  *timestamp = state()->clock;
  state()->clock += 10;
  return asked("GetTimestamp");
}
CUptiResult cuptiSubscribe(CUpti_SubscriberHandle* subscriber_handle, CUpti_CallbackFunc callback,
                           void* data) {
  return subscribe(subscriber_handle, callback, data);
}
#ifndef OLD_LIBRARY
CUptiResult cuptiSubscribe_v2(CUpti_SubscriberHandle* subscriber_handle, CUpti_CallbackFunc callback,
                              void* data, CUpti_SubscriberParams* params) {
  const CUptiResult code = subscribe(subscriber_handle, callback, data);
  if (code == CUPTI_ERROR_MULTIPLE_SUBSCRIBERS_NOT_SUPPORTED)
    std::strncpy(params->oldSubscriberName, state()->holder.c_str(), params->oldSubscriberSize);
  return code;
}
#endif
CUptiResult cuptiUnsubscribe(CUpti_SubscriberHandle) {
  state()->subscribed = false;
  return CUPTI_SUCCESS;
}
CUptiResult cuptiEnableCallback(uint32_t enable, CUpti_SubscriberHandle, CUpti_CallbackDomain domain,
                                CUpti_CallbackId id) {
  if (domain == CUPTI_CB_DOMAIN_RESOURCE && id == CUPTI_CBID_RESOURCE_MODULE_LOADED)
    subscriber.modules = enable != 0;
  if (domain == CUPTI_CB_DOMAIN_DRIVER_API && id == CUPTI_DRIVER_TRACE_CBID_cuLaunchKernel)
    subscriber.launches = enable != 0;
  return asked("EnableCallback");
}
CUptiResult cuptiFinalize() {
  ++state()->finalized;
  return CUPTI_SUCCESS;
}

CUptiResult cuptiActivityRegisterCallbacks(CUpti_BuffersCallbackRequestFunc requested,
                                           CUpti_BuffersCallbackCompleteFunc completed) {
  buffer.requested = requested;
  buffer.completed = completed;
  return asked("ActivityRegisterCallbacks");
}
CUptiResult cuptiEnableDomain(uint32_t enable, CUpti_SubscriberHandle, CUpti_CallbackDomain domain) {
  if (const CUptiResult code = asked("EnableDomain"); code != CUPTI_SUCCESS) return code;
  if (domain == CUPTI_CB_DOMAIN_DRIVER_API) subscriber.calls = enable != 0;
  return CUPTI_SUCCESS;
}
CUptiResult cuptiActivityEnable(CUpti_ActivityKind kind) {
  if (const CUptiResult code = asked("ActivityEnable"); code != CUPTI_SUCCESS) return code;
  state()->kinds.push_back(kind);
  return CUPTI_SUCCESS;
}
CUptiResult cuptiActivityDisable(CUpti_ActivityKind kind) {
  std::erase(state()->kinds, kind);
  return CUPTI_SUCCESS;
}
CUptiResult cuptiActivityFlushAll(uint32_t) {
  hand_in();
  return asked("ActivityFlushAll");
}
CUptiResult cuptiActivityGetNextRecord(uint8_t* buffer_bytes, size_t valid, CUpti_Activity** record) {
  std::uint8_t* next = buffer_bytes;
  if (*record != nullptr) next = reinterpret_cast<std::uint8_t*>(*record) + size_of((*record)->kind);
  if (next + sizeof(CUpti_Activity) > buffer_bytes + valid) return CUPTI_ERROR_MAX_LIMIT_REACHED;
  *record = reinterpret_cast<CUpti_Activity*>(next);
  return asked("ActivityGetNextRecord");
}
CUptiResult cuptiActivityGetNumDroppedRecords(CUcontext, uint32_t, size_t* dropped) {
  *dropped = state()->dropped;
  state()->dropped = 0;
  return CUPTI_SUCCESS;
}

CUptiResult cuptiProfilerInitialize(CUpti_Profiler_Initialize_Params*) {
  return asked("ProfilerInitialize");
}
CUptiResult cuptiProfilerDeInitialize(CUpti_Profiler_DeInitialize_Params*) {
  return CUPTI_SUCCESS;
}
CUptiResult cuptiProfilerGetCounterAvailability(CUpti_Profiler_GetCounterAvailability_Params* params) {
  params->counterAvailabilityImageSize = 16;
  return asked("ProfilerGetCounterAvailability");
}
CUptiResult cuptiDeviceGetChipName(CUpti_Device_GetChipName_Params* params) {
  params->pChipName = "GH100";
  return asked("DeviceGetChipName");
}
CUptiResult cuptiProfilerHostGetSupportedChips(CUpti_Profiler_Host_GetSupportedChips_Params* params) {
  params->numChips = std::size(chips);
  params->ppChipNames = chips;
  return CUPTI_SUCCESS;
}
CUptiResult cuptiProfilerHostInitialize(CUpti_Profiler_Host_Initialize_Params* params) {
  ++state()->hosts;
  params->pHostObject = reinterpret_cast<CUpti_Profiler_Host_Object*>(state());
  return asked("ProfilerHostInitialize");
}
CUptiResult cuptiProfilerHostDeinitialize(CUpti_Profiler_Host_Deinitialize_Params*) {
  --state()->hosts;
  return CUPTI_SUCCESS;
}
CUptiResult cuptiProfilerHostGetBaseMetrics(CUpti_Profiler_Host_GetBaseMetrics_Params* params) {
  const bool ratio = params->metricType == CUPTI_METRIC_TYPE_RATIO;
  if (params->metricType == CUPTI_METRIC_TYPE_THROUGHPUT) return CUPTI_ERROR_INVALID_PARAMETER;
  params->ppMetricNames = ratio ? ratios : counters;
  params->numMetrics = ratio ? std::size(ratios) : std::size(counters);
  return CUPTI_SUCCESS;
}
CUptiResult cuptiProfilerHostGetSubMetrics(CUpti_Profiler_Host_GetSubMetrics_Params* params) {
  const bool ratio = is_ratio(params->pMetricName);
  if (ratio != (params->metricType == CUPTI_METRIC_TYPE_RATIO)) return CUPTI_ERROR_INVALID_METRIC_NAME;
  params->ppSubMetrics = ratio ? ratio_endings : counter_endings;
  params->numOfSubmetrics = ratio ? std::size(ratio_endings) : std::size(counter_endings);
  return CUPTI_SUCCESS;
}
CUptiResult cuptiProfilerHostGetMetricProperties(CUpti_Profiler_Host_GetMetricProperties_Params* params) {
  if (!exists(params->pMetricName)) return CUPTI_ERROR_INVALID_METRIC_NAME;
  params->pDimUnit = is_ratio(params->pMetricName) ? "percent" : "byte";
  return CUPTI_SUCCESS;
}
CUptiResult cuptiProfilerHostConfigAddMetrics(CUpti_Profiler_Host_ConfigAddMetrics_Params* params) {
  for (std::size_t i = 0; i < params->numMetrics; ++i)
    if (!exists(params->ppMetricNames[i])) return CUPTI_ERROR_INVALID_PARAMETER;
  return asked("ProfilerHostConfigAddMetrics");
}
CUptiResult cuptiProfilerHostGetConfigImageSize(CUpti_Profiler_Host_GetConfigImageSize_Params* params) {
  params->configImageSize = 8;
  return CUPTI_SUCCESS;
}
CUptiResult cuptiProfilerHostGetConfigImage(CUpti_Profiler_Host_GetConfigImage_Params*) {
  return CUPTI_SUCCESS;
}
CUptiResult cuptiProfilerHostGetNumOfPasses(CUpti_Profiler_Host_GetNumOfPasses_Params* params) {
  params->numOfPasses = static_cast<std::size_t>(state()->passes);
  return CUPTI_SUCCESS;
}
CUptiResult cuptiProfilerHostEvaluateToGpuValues(CUpti_Profiler_Host_EvaluateToGpuValues_Params* params) {
  for (std::size_t i = 0; i < params->numMetrics; ++i)
    params->pMetricValues[i] = state()->counters[params->ppMetricNames[i]];
  return asked("ProfilerHostEvaluateToGpuValues");
}

CUptiResult cuptiRangeProfilerEnable(CUpti_RangeProfiler_Enable_Params* params) {
  if (const CUptiResult code = asked("RangeProfilerEnable"); code != CUPTI_SUCCESS) return code;
  state()->profiling = true;
  params->pRangeProfilerObject = reinterpret_cast<CUpti_RangeProfiler_Object*>(state());
  return CUPTI_SUCCESS;
}
CUptiResult cuptiRangeProfilerDisable(CUpti_RangeProfiler_Disable_Params*) {
  state()->profiling = false;
  return CUPTI_SUCCESS;
}
CUptiResult cuptiRangeProfilerSetConfig(CUpti_RangeProfiler_SetConfig_Params*) {
  return asked("RangeProfilerSetConfig");
}
CUptiResult cuptiRangeProfilerStart(CUpti_RangeProfiler_Start_Params*) {
  return asked("RangeProfilerStart");
}
CUptiResult cuptiRangeProfilerStop(CUpti_RangeProfiler_Stop_Params* params) {
  params->isAllPassSubmitted = ++state()->replays >= state()->passes;
  return asked("RangeProfilerStop");
}
CUptiResult cuptiRangeProfilerPushRange(CUpti_RangeProfiler_PushRange_Params*) {
  state()->in_range = true;
  return CUPTI_SUCCESS;
}
CUptiResult cuptiRangeProfilerPopRange(CUpti_RangeProfiler_PopRange_Params*) {
  state()->in_range = false;
  return CUPTI_SUCCESS;
}
CUptiResult cuptiRangeProfilerDecodeData(CUpti_RangeProfiler_DecodeData_Params* params) {
  params->numOfRangeDropped = state()->dropped_ranges;
  return CUPTI_SUCCESS;
}
CUptiResult cuptiRangeProfilerGetCounterDataSize(CUpti_RangeProfiler_GetCounterDataSize_Params* params) {
  params->counterDataSize = 32;
  return CUPTI_SUCCESS;
}
CUptiResult cuptiRangeProfilerCounterDataImageInitialize(
    CUpti_RangeProfiler_CounterDataImage_Initialize_Params*) {
  return CUPTI_SUCCESS;
}
CUptiResult cuptiRangeProfilerGetCounterDataInfo(CUpti_RangeProfiler_GetCounterDataInfo_Params* params) {
  params->numTotalRanges = state()->ranges;
  return CUPTI_SUCCESS;
}

}  // extern "C"
