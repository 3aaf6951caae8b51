// Measures the values that a suite's `tune` names: a search by successive halving, then fresh processes of
// the best and of the fixed values.
#pragma once

#include "harness/base/result.h"
#include "harness/cli/measuring/prepare.h"
#include "harness/cli/options/clock_option.h"
#include "harness/cli/options/measuring_options.h"
#include "harness/model/record.h"
#include "harness/model/tuning/tuning.h"

namespace harness {

struct TuneOptions {
  Seconds budget = 0;
  MeasuringOptions measuring;
  ClockOption clocks;
  std::string commit = {};  // as BeginOptions::commit
};

struct TuneSearch {
  TuningReport report;
  Record record;  // of everything that was measured; it is kept nowhere
  bool interrupted = false;
};

// The points of a plan of arms, before anything is measured.
std::vector<TunePoint> points_to_tune(const Plan& plan);

// `prepared` has the plan of arms.
Result<TuneSearch> tune(Prepared& prepared, const TuneOptions& options);

}  // namespace harness
