// The metrics of a program's own process.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "harness/model/device_kinds.h"

namespace harness {

inline constexpr std::string_view process_time = "process_time";
inline constexpr std::string_view user_time = "user_time";
inline constexpr std::string_view system_time = "system_time";
inline constexpr std::string_view program_memory = "peak_memory";

// From start to end. Where the program's output is read, the benchmarks in it have a `wall_time` each, and
// the time of the whole process is called another name.
inline std::string_view time_of_program(const std::string& reads) {
  return reads.empty() ? cpu_kind.time_metric : process_time;
}

inline std::vector<std::string> metrics_of_program(const std::string& reads) {
  return {std::string(time_of_program(reads)), std::string(user_time), std::string(system_time),
          std::string(program_memory)};
}

}  // namespace harness
