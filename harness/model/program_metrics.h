// The metrics of a program's own process.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "harness/base/units.h"
#include "harness/model/device_kinds.h"
#include "harness/model/plan.h"

namespace harness {

inline constexpr std::string_view process_time = "process_time";
inline constexpr std::string_view user_time = "user_time";
inline constexpr std::string_view system_time = "system_time";
inline constexpr std::string_view program_memory = "peak_memory";

// The times of one step, by a trace. A kernel of it has only kernel_time.
inline constexpr std::string_view traced_kernel_time = "kernel_time";
inline constexpr std::string_view traced_busy_time = "busy_time";
inline constexpr std::string_view traced_copy_time = "copy_time";
inline constexpr std::string_view traced_span = "span";
inline constexpr std::string_view traced_gaps = "gaps";

// From start to end. Where the program's output is read, the benchmarks in it have a `wall_time` each, and
// the time of the whole process is called another name.
inline std::string_view time_of_program(const std::string& reads) {
  return reads.empty() || reads == trace_format ? cpu_kind.time_metric : process_time;
}

// The CPU time of a benchmark in a program's output.
inline constexpr std::string_view benchmark_cpu_time = "cpu_time";

// Whether a time is of the CPUs' work alone.
constexpr bool is_cpu_time(std::string_view metric) {
  return metric == user_time || metric == system_time || metric == benchmark_cpu_time;
}

// Whether a metric gets worse while others use the CPUs: a time of the host, or a rate.
inline bool suffers_from_load(std::string_view metric, std::string_view unit) {
  if (unit.ends_with("/s")) return true;
  const bool of_gpu = (is_time_of_device(metric) && metric != cpu_kind.time_metric) ||
                      metric == traced_kernel_time || metric == traced_busy_time ||
                      metric == traced_copy_time;
  return seconds_per_unit(unit) > 0 && !of_gpu;
}

inline std::vector<std::string> metrics_of_program(const std::string& reads) {
  std::vector<std::string> names;
  if (reads == trace_format)
    names = {std::string(traced_kernel_time), std::string(traced_busy_time), std::string(traced_copy_time),
             std::string(traced_span), std::string(traced_gaps)};
  for (const std::string_view own : {time_of_program(reads), user_time, system_time, program_memory})
    names.emplace_back(own);
  return names;
}

}  // namespace harness
