// Starts a program under the trace: with libharness_trace.so in every process of it that uses CUDA or NVTX.
#pragma once

#include <filesystem>
#include <vector>

#include "harness/base/process.h"
#include "harness/base/result.h"
#include "harness/model/results/program_trace.h"

namespace harness {

// libharness_trace.so beside this program, or HARNESS_TRACE_LIBRARY. An error when there is none, or when
// another tool's library is to be loaded into programs.
Result<std::filesystem::path> trace_library();

// Lets the command write a trace file a process into `folder`, which exists. `contents`: it hashes what it
// copies from the host, which takes the host's time.
void trace_into(Command& command, const std::filesystem::path& library, const std::filesystem::path& folder,
                bool contents = false);

// The trace that the command left in `folder`. An error when a file cannot be read; a void trace is a fault.
Result<ProgramTrace> read_program_trace(const std::filesystem::path& folder, const StepRule& rule);

}  // namespace harness
