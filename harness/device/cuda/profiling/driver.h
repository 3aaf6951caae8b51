// The functions of the CUDA driver that reading a call's arguments needs. The module does not link libcuda.
#pragma once

#include <cuda.h>

#include "harness/base/result.h"

namespace harness::cuda {

#define HARNESS_DRIVER_FUNCTIONS(X) \
  X(PointerGetAttributes)           \
  X(FuncGetAttribute)               \
  X(FuncGetParamInfo)               \
  X(FuncGetModule)                  \
  X(FuncGetName)                    \
  X(KernelGetLibrary)               \
  X(KernelGetFunction)              \
  X(KernelGetParamInfo)             \
  X(StreamGetPriority)              \
  X(StreamIsCapturing)              \
  X(CtxGetCurrent)                  \
  X(GraphGetNodes)                  \
  X(GraphGetEdges_v2)               \
  X(GraphNodeGetType)               \
  X(GraphKernelNodeGetParams_v2)    \
  X(GraphKernelNodeGetAttribute)    \
  X(GraphMemcpyNodeGetParams)       \
  X(GraphMemsetNodeGetParams)       \
  X(GraphChildGraphNodeGetGraph)    \
  X(StreamGetFlags)

struct Driver {
// NOLINTNEXTLINE(bugprone-macro-parentheses): a declaration takes its name without parentheses
#define HARNESS_DRIVER_MEMBER(name) decltype(&::cu##name) name = nullptr;
  HARNESS_DRIVER_FUNCTIONS(HARNESS_DRIVER_MEMBER)
#undef HARNESS_DRIVER_MEMBER
};

// Finds them in the driver that this process has loaded. An Error when it is older than CUDA 12.5, which
// cannot tell where the arguments of a kernel lie.
Result<Driver> load_driver();

}  // namespace harness::cuda
