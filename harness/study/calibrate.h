// Calibration: variance components, false alarms and proposals from records of one build (A/A). Pure.
//
// Within a process the placements, within a session (one record) the processes, on a device the sessions of
// one build, and the devices of a class each add a part to the variance of log values
// (stats/components.h). compare() counts the sessions' part once a side; learned from a few sessions it is
// drawn towards the usual 0.1 % (0.3 % between devices) as if that had been seen with 4 degrees of freedom.
#pragma once

#include <cstdint>
#include <vector>

#include "harness/model/record.h"
#include "harness/model/spread.h"

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

// `records`: of one suite and machine class; the device calibrated is that of the first. Each is a session.
// Those of different commits, or uncommitted changes, are never compared with each other.
CalibrationReport calibrate(const std::vector<Record>& records, const CalibrationOptions& options);

// One metric of one case in one session, by its process values alone.
struct CalibrationSession {
  std::string case_id;
  std::string metric;
  std::string device_uuid;
  std::string build;  // commit and changes; only sessions of one build are compared
  std::vector<double> log_values;
};

// What compare() is to know from calibrations of one class: the sessions' part from those on `device_uuid`,
// the devices' from all. A case and metric of which neither is known is left out.
std::vector<LearnedSpread> learn_spreads(const std::vector<CalibrationSession>& sessions,
                                         const std::string& device_uuid);

}  // namespace harness
