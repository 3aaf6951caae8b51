// Draws one thing after another anew in this process and times the two kernels with each.
#pragma once

#include "tests/instrument/offsets/report.h"

namespace harness::offsets {

struct Wanted {
  int process = 0;  // its number: the first also does what one process is enough for
  int draws = 10;   // of each thing
  int samples = 60;
  double started = 0;  // when it was started, by cuda::host_now()
};

// Uses the device that is current. Throws Failure where not even the first launch works; what happens later
// is said in its row.
Findings draw_all(const Wanted& wanted);

}  // namespace harness::offsets
