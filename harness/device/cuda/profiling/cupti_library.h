// CUPTI: NVIDIA's profiling library. Only a profiling pass loads it, so a machine without it measures all the
// same. The library stays loaded; one thread uses it.
//
// HARNESS_CUPTI names another file than the toolkit's libcupti.so.13, such as a stand-in for tests;
// HARNESS_CUPTI=off loads none.
#pragma once

#include <cupti.h>
#include <cupti_profiler_host.h>
#include <cupti_range_profiler.h>
#include <cupti_target.h>

#include <string>
#include <string_view>

#include "harness/base/result.h"

namespace harness::cuda {

// Every function that is used, by its name without `cupti`. The functions from cuptiSubscribe_v2 on may be
// missing.
#define HARNESS_CUPTI_FUNCTIONS(X) \
  X(GetVersion)                    \
  X(GetResultString)               \
  X(GetTimestamp)                  \
  X(Subscribe)                     \
  X(Unsubscribe)                   \
  X(EnableCallback)                \
  X(EnableDomain)                  \
  X(Finalize)                      \
  X(ActivityRegisterCallbacks)     \
  X(ActivityEnable)                \
  X(ActivityDisable)               \
  X(ActivityFlushAll)              \
  X(ActivityGetNextRecord)         \
  X(ActivityGetNumDroppedRecords)

#define HARNESS_CUPTI_PROFILER_FUNCTIONS(X)  \
  X(Subscribe_v2)                            \
  X(ProfilerInitialize)                      \
  X(ProfilerDeInitialize)                    \
  X(ProfilerGetCounterAvailability)          \
  X(DeviceGetChipName)                       \
  X(ProfilerHostGetSupportedChips)           \
  X(ProfilerHostInitialize)                  \
  X(ProfilerHostDeinitialize)                \
  X(ProfilerHostGetBaseMetrics)              \
  X(ProfilerHostGetSubMetrics)               \
  X(ProfilerHostGetMetricProperties)         \
  X(ProfilerHostConfigAddMetrics)            \
  X(ProfilerHostGetConfigImageSize)          \
  X(ProfilerHostGetConfigImage)              \
  X(ProfilerHostGetNumOfPasses)              \
  X(ProfilerHostEvaluateToGpuValues)         \
  X(RangeProfilerEnable)                     \
  X(RangeProfilerDisable)                    \
  X(RangeProfilerSetConfig)                  \
  X(RangeProfilerStart)                      \
  X(RangeProfilerStop)                       \
  X(RangeProfilerPushRange)                  \
  X(RangeProfilerPopRange)                   \
  X(RangeProfilerDecodeData)                 \
  X(RangeProfilerGetCounterDataSize)         \
  X(RangeProfilerCounterDataImageInitialize) \
  X(RangeProfilerGetCounterDataInfo)

struct Cupti {
// NOLINTNEXTLINE(bugprone-macro-parentheses): a declaration takes its name without parentheses
#define HARNESS_CUPTI_MEMBER(name) decltype(&::cupti##name) name = nullptr;
  HARNESS_CUPTI_FUNCTIONS(HARNESS_CUPTI_MEMBER)
  HARNESS_CUPTI_PROFILER_FUNCTIONS(HARNESS_CUPTI_MEMBER)
#undef HARNESS_CUPTI_MEMBER

  // Whether every function that reading counters needs was found.
  [[nodiscard]] bool has_profiler() const;

  // An Error of kind `environment` with the call, the code and advice for its usual cause; nothing on
  // success.
  [[nodiscard]] Status check(CUptiResult code, std::string_view call) const;
};

// The library, loaded on the first call: one that the process has already (an injected profiler brings its
// own), else the toolkit's. An Error when it writes records of another CUDA release. The answer stays the
// same for the process.
Result<const Cupti*> cupti();

// The same, but each call loads anew, for tests.
Result<Cupti> load_cupti();

}  // namespace harness::cuda
