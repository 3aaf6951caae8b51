// Conditions of the CPU while a placement is measured, from /proc and /sys. Facts that a machine does not
// tell (a virtual machine has no sensors) are absent, never guessed.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>

#include "harness/base/units.h"
#include "harness/device/host/host_load.h"
#include "harness/model/record.h"

namespace harness {

// The CPU at one moment. Counters and times count from an unknown moment before.
struct CpuReading {
  std::optional<double> clock_mhz;         // mean over this process's CPUs: cpufreq, else /proc/cpuinfo
  std::optional<double> temperature_c;     // the hottest sensor of the CPU
  std::optional<std::uint64_t> throttles;  // thermal throttle events of all cores and packages
  HostReading host;                        // with the CPU time of this process
};

// A virtual machine shows a nominal clock in /proc/cpuinfo, which is left out.
CpuReading read_cpu(const std::filesystem::path& root = "/");

// Between two readings: mean clock and temperature; "thermal" when the CPU throttled; the host's load. Other
// processes: the CPUs that they kept busy on average, rounded.
Conditions conditions_between(const CpuReading& before, const CpuReading& after);

// Tells the conditions of one placement after the other.
class CpuWatch {
 public:
  explicit CpuWatch(const CpuReading& now) : load_(now.host), begin_(now) {}

  // At the begin of a placement.
  void begin(const CpuReading& now);
  // At its end; std::nullopt where there is nothing to tell.
  [[nodiscard]] std::optional<Conditions> conditions_at(const CpuReading& now) const;
  // How long to wait until the load can be told, too.
  [[nodiscard]] Seconds too_early_by(const CpuReading& now) const { return load_.too_early_by(now.host); }

 private:
  LoadWatch load_;
  CpuReading begin_;
};

}  // namespace harness
