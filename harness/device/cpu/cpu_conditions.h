// Conditions of the CPU while a placement is measured, from /proc and /sys. Facts that a machine does not
// tell (a virtual machine has no sensors) are absent, never guessed.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>

#include "harness/base/units.h"
#include "harness/model/record.h"

namespace harness {

// The CPU at one moment. Counters and times count from an unknown moment before.
struct CpuReading {
  std::optional<double> clock_mhz;         // mean over this process's CPUs: cpufreq, else /proc/cpuinfo
  std::optional<double> temperature_c;     // the hottest sensor of the CPU
  std::optional<std::uint64_t> throttles;  // thermal throttle events of all cores and packages
  std::optional<Seconds> busy;             // of all CPUs together, by all processes
  Seconds own = 0;                         // CPU time of this process
  Seconds at = 0;                          // monotonic clock
};

// A virtual machine shows a nominal clock in /proc/cpuinfo, which is left out.
CpuReading read_cpu(const std::filesystem::path& root = "/");

// Between two readings: mean clock and temperature; "thermal" when the CPU throttled. Other processes: the
// CPUs that they kept busy on average, rounded; 0 when the time is too short for Linux's ticks (below 0.1 s).
Conditions conditions_between(const CpuReading& before, const CpuReading& after);

}  // namespace harness
