// The functions of CUPTI that a traced process needs, found at run time. One libcupti serves a process: the
// one that it has loaded, else that of HARNESS_CUPTI, else the one beside its CUDA libraries, else the
// toolkit's.
#pragma once

#include <cupti.h>

#include <string>

namespace harness::inject {

#define HARNESS_TRACE_FUNCTIONS(X) \
  X(GetVersion)                    \
  X(GetResultString)               \
  X(GetTimestamp)                  \
  X(Subscribe)                     \
  X(EnableCallback)                \
  X(ActivityRegisterCallbacks)     \
  X(ActivityEnable)                \
  X(ActivityFlushAll)              \
  X(ActivityGetNextRecord)         \
  X(ActivityGetNumDroppedRecords)

struct CuptiEntry {
// NOLINTNEXTLINE(bugprone-macro-parentheses): a declaration takes its name without parentheses
#define HARNESS_TRACE_MEMBER(name) decltype(&::cupti##name) name = nullptr;
  HARNESS_TRACE_FUNCTIONS(HARNESS_TRACE_MEMBER)
  HARNESS_TRACE_MEMBER(Subscribe_v2)  // null before CUDA 12.6
#undef HARNESS_TRACE_MEMBER
  std::string file;  // of the library

  // "cuptiSubscribe failed: CUPTI_ERROR_NOT_INITIALIZED (15)"
  [[nodiscard]] std::string problem(const char* function, CUptiResult code) const;
};

// False: there is none that can be used, and `problem` says why.
bool find_cupti(CuptiEntry& found, std::string& problem);

}  // namespace harness::inject
