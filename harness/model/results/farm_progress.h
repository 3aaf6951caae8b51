// FarmProgress: how far a campaign is, as `harness farm status` shows it. Plain data.
#pragma once

#include <string>
#include <vector>

#include "harness/base/units.h"

namespace harness {

// One process of `harness farm work`.
struct FarmElement {
  std::string name;   // host, process and a part of a UUID
  int done = 0;       // tasks that it finished
  int task = 0;       // number of the task that it measures, from 1; 0: none
  Seconds lease = 0;  // until others may take that task
};

struct FarmProgress {
  std::string campaign;  // id
  std::string created;   // UTC
  std::string store;     // where
  std::vector<std::string> suites;
  std::string against;  // what judges it, or ""
  int tasks = 0;
  int done = 0;
  int leased = 0;   // elements measure them
  int again = 0;    // that more than one element took
  int results = 0;  // planned
  int stored = 0;
  std::vector<FarmElement> elements;
};

}  // namespace harness
