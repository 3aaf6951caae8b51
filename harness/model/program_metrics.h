// The metrics of a program's own process.
#pragma once

#include <string_view>

#include "harness/model/device_kinds.h"
#include "harness/model/plan.h"

namespace harness {

inline constexpr std::string_view process_time = "process_time";
inline constexpr std::string_view user_time = "user_time";
inline constexpr std::string_view system_time = "system_time";
inline constexpr std::string_view program_memory = "peak_memory";

// From start to end. Where the program's output is read, the benchmarks in it have a `wall_time` each, and
// the time of the whole process is called another name.
inline std::string_view time_of_program(const Program& program) {
  return program.reads.empty() ? cpu_kind.time_metric : process_time;
}

}  // namespace harness
