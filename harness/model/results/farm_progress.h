// FarmProgress: how far a campaign is, as `harness farm status` shows it. Plain data.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "harness/base/units.h"
#include "harness/model/results/sick_device.h"

namespace harness {

// One process of `harness farm work`.
struct FarmElement {
  std::string name;                   // host, process and a part of a UUID
  int done = 0;                       // tasks that it finished
  int task = 0;                       // number of the task that it measures, from 1; 0: none
  Seconds lease = 0;                  // until others may take that task
  std::string device = {};            // UUID
  std::optional<Sickness> sick = {};  // why the device is in quarantine
  std::string refused = {};           // why it may not measure the campaign
  bool checking = false;              // its tasks are measured; whether its device is well is not known yet
};

struct FarmProgress {
  std::string campaign;         // id
  std::string created;          // UTC
  std::string store;            // where
  std::string owner = {};       // the user that planned it
  std::string repository = {};  // where
  bool cancelled = false;
  std::vector<std::string> suites;
  std::string against;  // what judges it, or ""
  int tasks = 0;
  int done = 0;
  int leased = 0;        // elements measure them
  bool waiting = false;  // tasks are free, and no element measures or checks its device
  bool judging = false;  // a judge will add tasks where cases are undecided or regressed
  Seconds in_vain = 0;   // the longest that a task was measured which is not done
  int again = 0;         // that more than one element took
  int results = 0;       // planned
  int stored = 0;
  Seconds budget = 0;       // of the campaign; 0: none
  Seconds running = 0;      // since the first task was taken
  Seconds device_time = 0;  // that devices were used for the tasks that are done
  std::vector<FarmElement> elements;
};

}  // namespace harness
