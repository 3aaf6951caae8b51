// Measured case: one metric of one case in all sessions of a calibration.
#pragma once

#include <string>
#include <vector>

#include "harness/model/results/spread.h"

namespace harness {

// A session of one metric of one case.
struct SessionValues {
  std::string device_uuid;
  std::string build;                                // commit and changes
  std::vector<double> log_values;                   // by process
  std::vector<std::vector<double>> log_placements;  // of the same processes
};

struct MeasuredCase {
  CalibratedCase calibrated;
  bool decides = true;
  std::vector<SessionValues> sessions;
};

}  // namespace harness
