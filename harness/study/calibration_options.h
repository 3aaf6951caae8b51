// Options of a calibration.
#pragma once

#include <cstddef>
#include <cstdint>

#include "harness/model/results/comparison.h"

namespace harness {

struct CalibrationOptions {
  double detect = 0;  // the change to be found with `power`; 0: twice the margin
  double power = 0.8;
  int most_processes = 40;
  std::size_t splits = 1000;
  std::uint64_t seed = 1;
  bool halves = false;  // count false alarms between halves of a session alone, which share the session
  Policy policy;        // margin and alpha of it win over the cases' own
};

}  // namespace harness
