// HostLoad of a time: what kept the CPUs from the work at hand, from two readings of /proc and the control
// group. Any thread may read.
#pragma once

#include <filesystem>
#include <optional>

#include "harness/base/units.h"
#include "harness/model/record.h"

namespace harness {

// Counters of the host at one moment; they count from an unknown moment before. What the system does not tell
// is absent.
struct HostReading {
  std::optional<Seconds> busy;     // of all CPUs together, by all processes and by other guests
  std::optional<Seconds> stolen;   // of these, by other guests of the machine
  std::optional<double> queue;     // threads that run or wait to, without the one that asks
  std::optional<Seconds> stalled;  // in which some thread waited for a CPU
  std::optional<Seconds> held;     // threads held back by the quotas of this process's control groups
  Seconds at = 0;                  // monotonic clock
};
HostReading read_host_load(const std::filesystem::path& root = "/");

// A shorter time is not told, because the system counts in ticks of 10 ms.
inline constexpr Seconds shortest_load = 0.1;

// `own`: CPU time of the work at hand between the readings. std::nullopt where the time is too short, or the
// system tells nothing.
std::optional<HostLoad> load_between(const HostReading& before, const HostReading& after, Seconds own);

}  // namespace harness
