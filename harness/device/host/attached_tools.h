// Tools that forbid the launch gate. They let the device run one kernel at a time, and the host waits for
// each. Behind a gate it would wait for ever. Pure; any thread may use it.
#pragma once

#include <functional>
#include <optional>
#include <string_view>

#include "harness/model/note.h"

namespace harness {

// The value of an environment variable, null when it is not set: environment::find for what is real.
using Environment = std::function<const char*(const char* name)>;

// Why no launch can be held back in a process with this environment and this /proc/self/status. No
// document tells the names that tools set: these were seen. An unknown tool is left to the watchdog of the
// gate.
//   CUDA_LAUNCH_BLOCKING other than 0 (documented by NVIDIA): every launch waits
//   NV_COMPUTE_PROFILER_PERFWORKS_DIR, NV_NSIGHT_INJECTION_PORT_BASE: Nsight Compute (ncu)
//   NV_SANITIZER_INJECTION_PORT_BASE, NV_SANITIZER_INJECTION_PORT_RANGE_BEGIN: compute-sanitizer
//   CUDA_INJECTION64_PATH, NVTX_INJECTION64_PATH of a library whose file name says "sanitizer" or "ncu":
//     the same two; other injected libraries, such as CUPTI tracers, need not serialise
//   TracerPid in /proc/self/status: a debugger, cuda-gdb among them, which sets no variable
// Nsight Systems (NSYS_PROFILING_SESSION_ID) traces without serialising and is no obstacle.
std::optional<Note> gate_obstacle_in(const Environment& environment, std::string_view process_status);

// For this process.
std::optional<Note> gate_obstacle_here();

}  // namespace harness
