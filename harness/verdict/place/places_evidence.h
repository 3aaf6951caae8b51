// The evidence for one row by processes that measured it at all places of its code (over_places.h).
#pragma once

#include "harness/stats/hypothesis/t_test.h"

namespace harness {

struct PlacesEvidence {
  stats::TTest test;  // of the mean over the places, positive where worse
  // Where the code lies as compiled: the change of the builds themselves less that of the copies there, and
  // the same with the mean over the places added (over_places.h). Positive where worse.
  stats::TTest unshown;
  stats::TTest rest;
  double as_compiled = 0;  // logs of these two changes, current over baseline
  double at_same_place = 0;
  double half_tick = 0;   // as LookEvidence::half_tick
  double sd = 0;          // of the change between places
  int processes = 0;      // at each place
  double lowest_log = 0;  // the baseline's lowest and highest place, as logs of its unit
  double highest_log = 0;
  int best_shift = 0;       // of the current side's best place, as best_place() finds it
  double best_log = 0;      // the change that it makes there: a log, 0 where it lies
  bool slow_calls = false;  // more or slower ones on the current side, so that nothing passes
};

}  // namespace harness
