// The entry points that CUDA and NVTX call in a traced process. CUDA_INJECTION64_PATH and
// NVTX_INJECTION64_PATH name this library.
#include <exception>

#include "harness/device/cuda/inject/nvtx_ranges.h"
#include "harness/device/cuda/inject/tracer.h"

// Called while CUDA is initialised, before any context.
extern "C" __attribute__((visibility("default"))) int InitializeInjection() {
  try {
    harness::inject::Tracer::shared().start();
  } catch (const std::exception&) {
    return 0;
  }
  return 1;
}

// Called at the first use of NVTX in each library that has it.
extern "C" __attribute__((visibility("default"))) int InitializeInjectionNvtx2(
    NvtxGetExportTableFunc_t export_table) {
  try {
    return harness::inject::attach_ranges(export_table);
  } catch (const std::exception&) {
    return 0;
  }
}
