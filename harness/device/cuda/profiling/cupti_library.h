// CUPTI: NVIDIA's profiling library, loaded at run time and only by a pass that looks into kernels, so that
// nothing of it is in a process that does not look, and a machine without it measures all the same. The
// library stays loaded; one thread uses it.
//
// HARNESS_CUPTI names another file than the toolkit's libcupti.so.13, a stand-in for tests for example;
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

// Every function that is used, by its name without `cupti`. Those from cuptiSubscribe_v2 on may be missing.
#define HARNESS_CUPTI_FUNCTIONS(X) \
  X(GetVersion)                    \
  X(GetResultString)               \
  X(GetTimestamp)                  \
  X(Subscribe)                     \
  X(Unsubscribe)                   \
  X(EnableCallback)                \
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

  // Whether everything that reading counters takes is there.
  [[nodiscard]] bool has_profiler() const;

  // An Error of kind `environment` that names the call and what went wrong, with advice where the code has
  // a usual cause; nothing on success.
  [[nodiscard]] Status check(CUptiResult code, std::string_view call) const;
};

// The library, loaded on the first call: one that the process has already (a profiler that is injected
// brings its own), then the file of the toolkit. Refused, with the reason, when it writes its records for
// another release of CUDA than this build reads. The answer is the same for the rest of the process.
Result<const Cupti*> cupti();

// The same without memory of earlier calls, for tests.
Result<Cupti> load_cupti();

}  // namespace harness::cuda
