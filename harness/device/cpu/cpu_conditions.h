// What Linux tells of the CPU while a placement is measured: read from /proc and /sys at both ends. What a
// machine does not tell (a virtual machine has no sensors) is absent, never guessed.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>

#include "harness/base/units.h"
#include "harness/model/record.h"

namespace harness {

// The CPU at one moment. Counters and times count from some moment before.
struct CpuReading {
  std::optional<double> clock_mhz;         // mean over this process's CPUs: cpufreq, else /proc/cpuinfo
  std::optional<double> temperature_c;     // the hottest sensor of the CPU
  std::optional<std::uint64_t> throttles;  // thermal throttle events of all cores and packages
  std::optional<Seconds> busy;             // of all CPUs together, by all processes
  Seconds own = 0;                         // CPU time of this process
  Seconds at = 0;                          // monotonic clock
};

// The nominal clock that a virtual machine shows in /proc/cpuinfo is no reading and is left out.
CpuReading read_cpu(const std::filesystem::path& root = "/");

// From one reading to a later one: mean clock and temperature; "thermal" when the CPU throttled meanwhile;
// as other processes, how many CPUs others kept busy on average, to the nearest whole number, where the
// time between is long enough for Linux's ticks (0.1 s), and 0 where it is not.
Conditions conditions_between(const CpuReading& before, const CpuReading& after);

}  // namespace harness
