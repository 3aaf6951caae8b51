// Measures cases of both builds at all places of their code, so that a change of the place alone can be told
// from one of the code (verdict/place/over_places.h).
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "harness/cli/ab/shifted_builds.h"
#include "harness/measure/schedule/run_options.h"

namespace harness {

struct PlacesMeasured {
  // The baseline's and the current build's: only of cases that both measured in all processes at all places.
  std::array<std::vector<EncodedResult>, 2> results;
  Unshifted
      refused;  // the cases whose kernels cannot be moved, or are not known, so that nothing was measured
  Unshifted unshifted;  // the other cases; all, where this was interrupted or its time ended
};

// `plan`: the cases in question, as both builds measure them in one process. `options`: of such a run; where
// its results go is set here, and may_begin ends it before a place. Processes take turns over the places, in
// an order that `seed` draws. A case ends at its first result that cannot count.
Result<PlacesMeasured> measure_places(Plan plan, const PairedBuilds& pair, MovableCases cases,
                                      RunOptions options, std::uint64_t seed);

}  // namespace harness
