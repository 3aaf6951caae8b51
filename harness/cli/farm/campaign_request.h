// The options of `harness farm plan`.
#pragma once

#include <string>
#include <vector>

#include "harness/base/units.h"
#include "harness/cli/ab/ab_sides.h"
#include "harness/cli/options/look_options.h"
#include "harness/cli/options/looks_options.h"
#include "harness/cli/options/measuring_options.h"
#include "harness/cli/options/store_options.h"

namespace harness {

struct CampaignRequest {
  AbRequest sides;  // the suite's options; with builds: both sides are measured
  std::vector<std::string> suites;
  StoreOption store;
  std::string against;
  PairMode pair = PairMode::automatic;
  LookOptions look;
  LooksOption looks;
  MeasuringOptions measuring;
  Seconds budget = 0;  // 0: none
  std::string stage;   // folder for copies of the builds; "": they are measured where they are
  int elements = 1;    // devices that will measure
  int block = 0;       // most cases of a task; 0: as many as Campaign says
  Seconds lease = 120;
  Seconds time = 0;  // of an element; 0: as long as it takes
};

}  // namespace harness
