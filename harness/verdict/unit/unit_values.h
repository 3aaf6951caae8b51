// Unit values: one value a process of a metric whose margin is in its own unit, such as an accuracy. They are
// compared as they are, without logs, so they may be 0 or negative. Pure.
#pragma once

#include <limits>
#include <optional>
#include <vector>

#include "harness/verdict/read/side.h"

namespace harness {

struct UnitValues {
  std::vector<int> processes;  // their numbers, in the order of the series
  std::vector<double> values;  // the mean of each process's samples
  bool pooled = false;         // from several records, whose processes have numbers of their own
  std::optional<UnusableSample> unusable = {};  // the first that is not finite
};

// Reads the processes numbered up to `most`.
UnitValues read_unit_values(const Series& series, int most = std::numeric_limits<int>::max());

// Process values with their arithmetic mean, and their relative sd where that mean is not 0.
Side side_of(const UnitValues& values);

// current - baseline of the processes with the same number, hence the same seed. std::nullopt where a process
// of the side with fewer of them has no partner.
std::optional<std::vector<double>> differences_by_process(const UnitValues& baseline,
                                                          const UnitValues& current);

}  // namespace harness
