// HostLoad of a time: what kept the CPUs from the work at hand, from two readings of /proc and the control
// group. Any thread may read.
#pragma once

#include <filesystem>
#include <optional>

#include "harness/base/units.h"
#include "harness/model/record.h"

namespace harness {

// Counters of the host at one moment; they count from an unknown moment before. A counter that the system
// does not tell is absent.
struct HostReading {
  std::optional<int> cpus;
  std::optional<Seconds> busy;     // of all CPUs together, by all processes and by other guests
  std::optional<Seconds> stolen;   // of these, by other guests of the machine
  std::optional<double> queue;     // threads that run or wait to, without the one that asks
  std::optional<Seconds> stalled;  // in which some thread waited for a CPU
  std::optional<Seconds> held;     // threads held back by the quotas of this process's control groups
  Seconds own = 0;                 // CPU time of the work at hand, by whoever asks
  Seconds at = 0;                  // monotonic clock
};
HostReading read_host_load(const std::filesystem::path& root = "/");

// A shorter time is not told, because the system counts in ticks of 10 ms.
inline constexpr Seconds shortest_load = 0.1;

// std::nullopt where the time is too short, or the system tells nothing.
std::optional<HostLoad> load_between(const HostReading& before, const HostReading& after);

// Tells the load of one piece of work after the other. That of a piece that is too short to tell it is the
// load of the time around: since the latest reading that is old enough.
class LoadWatch {
 public:
  explicit LoadWatch(const HostReading& now) : earlier_{now, now}, begin_(now) {}

  // At the begin of a piece.
  void begin(const HostReading& now);
  // At its end; std::nullopt where there is nothing to tell.
  [[nodiscard]] std::optional<HostLoad> load_at(const HostReading& now) const;
  // How long to wait until the time is long enough to tell a load.
  [[nodiscard]] Seconds too_early_by(const HostReading& now) const;

 private:
  HostReading earlier_[2];  // the latest readings that are at least shortest_load apart, the oldest first
  HostReading begin_;
};

}  // namespace harness
