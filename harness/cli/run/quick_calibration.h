// A quick calibration: what change the times of this machine can tell, learned in a minute from the shortest
// cases of a suite. Runs mention it; no verdict knows it.
#pragma once

#include <string>
#include <vector>

#include "harness/base/result.h"
#include "harness/cli/measuring/prepare.h"
#include "harness/cli/programs/measure_session.h"
#include "harness/model/results/policy.h"
#include "harness/store/store.h"

namespace harness {

// Measures the three shortest cases in sessions of five processes for a minute. The store keeps them in place
// of earlier ones of this machine, as calibrations of a suite of their own. False: interrupted.
Result<bool> calibrate_quickly(Store& store, const SessionOptions& session);

// A line about this machine by these: "this machine can tell 8 % with 5 processes a side, ...".
Result<std::string> told_by_quick_calibration(Store& store);

// A line for a run that asks for less than this machine can tell: "this machine can tell 8 %, not 1 %"; ""
// where it can tell enough, or nobody calibrated it.
std::string margin_line(Store& store, const Prepared& prepared, const Policy& policy);

}  // namespace harness
