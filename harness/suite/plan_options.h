// The user's wishes for a plan, and what the machine at hand can run.
#pragma once

#include <functional>
#include <map>
#include <string>
#include <vector>

#include "harness/base/result.h"
#include "harness/model/counter.h"
#include "harness/model/tuning/tuned.h"
#include "harness/suite/plan/set_axes.h"
#include "harness/suite/suite.h"

namespace harness {

// How many devices of a kind a case may use.
struct DeviceCount {
  int has = 1;
  std::string chosen = {};  // by --device, as typed; "": all that the machine has
};

// A filter or tag that selects no case.
struct UnmatchedWish {
  std::string wish;  // option and value
  Error error;
};

struct PlanOptions {
  std::map<std::string, Cause> unavailable_devices;  // by kind; all its cases are planned as skipped
  std::map<std::string, DeviceCount> gpus = {};      // by kind; none: any number, as threads of a CPU
  std::vector<std::string> filters;                  // over case ids, see filter.h; a `!` in front excludes
  std::vector<std::string> tags;                     // any of these; empty: all
  // Takes the filters and tags that select no case of this one of several suites. Null: they are errors.
  std::vector<UnmatchedWish>* unmatched = nullptr;
  std::vector<AxisValues> axes;  // values instead of the suite's
  Overrides overrides;           // from the command line; win over the suite's
  bool scripted = false;         // a script stands for the CPU, with sensors of its own
  bool arms = false;             // every combination of `tune` is a case of its own, for `harness tune`
  std::map<std::string, TunedSuite> tuned = {};  // by kind of device: pinned values of its machine class
  // Looks up the hardware counters of a case, which are read together. Without it they are not looked up.
  std::function<CounterPlan(const std::vector<std::string>& names)> plan_counters = {};
};

}  // namespace harness
