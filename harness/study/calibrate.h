// Calibration: variance components, false alarms and proposals from records of one build (A/A). Pure.
//
// Placements, processes, sessions (one record each) and devices each add variance to the log values
// (stats/spread/components.h). compare() counts the sessions' part once a side. The estimate is shrunk
// towards the usual 0.1 % (0.3 % between devices) with 4 degrees of freedom.
#pragma once

#include <vector>

#include "harness/model/record.h"
#include "harness/model/results/spread.h"
#include "harness/study/calibration_options.h"

namespace harness {

// `records`: of one suite and machine class; the device calibrated is that of the first. Each is a session.
// Sessions of different commits, or with uncommitted changes, are never compared with each other.
CalibrationReport calibrate(const std::vector<Record>& records, const CalibrationOptions& options);

}  // namespace harness
