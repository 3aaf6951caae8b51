// Movable cases: those of an A/B run whose verdict the place of their code can change, so that they are
// measured at all places of it (verdict/place/over_places.h).
#pragma once

#include <array>
#include <functional>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "harness/base/units.h"
#include "harness/model/record.h"
#include "harness/model/results/comparison.h"

namespace harness {

// The most time that both builds of a case are sampled, over all places and processes together. Where this
// leaves fewer samples than were taken as compiled, the verdict demands all the same that both agree.
inline constexpr Seconds most_seconds_at_places = 10;

// A case whose change may be one of the place alone, or hidden by it. Kernels are named, demangled, where
// their code is not known to be equal on both sides.
struct MovableCase {
  std::string compute_capability;  // of the device: "9.0"
  std::set<std::string> baseline;
  std::set<std::string> current;
  std::array<std::vector<KernelUse>, 2> launches = {};  // of a call, by side, as compiled: all of them
};
using MovableCases = std::map<std::string, MovableCase>;  // by id

// The cases that are called worse or better.
MovableCases movable_cases(const Comparison& comparison);

// By case: why it was not measured at other places of its code, in a sentence.
using Unshifted = std::map<std::string, std::string>;

// The share of a budget that measuring may take where the estimate was too low. Then it ends.
inline constexpr double most_of_budget = 1.25;

// Cases that pass or are undecided, and in which the place may hide a change. Results that are not measured
// are counted.
struct HiddenCases {
  MovableCases cases;
  int left_out = 0;  // the budget has no time for them
  Seconds budget = 0;
  int fixed = 0;  // their kernels cannot be moved
  int apart = 0;  // no process holds both builds
};

// The cases whose kernels cannot be moved in both builds.
using CannotMove = std::function<Unshifted(const MovableCases&)>;

// Rows that pass or are undecided, with a kernel that has other code on both sides. A row is left out where a
// move by most_by_place, in the share of the call that such kernels take, cannot bring its worse bound to the
// margin.
//
// Undecided rows come first; within each the nearest to the margin. Each takes the time of its processes that
// held both builds, with at most most_seconds_at_places of sampling, as long as the budget lasts. All share
// the starts of the processes.
HiddenCases hidden_cases(const Comparison& comparison, const Record& baseline, const Record& current,
                         Seconds budget, const CannotMove& cannot_move);

// Adds to the comparison which cases were measured at all places of their code, and why others were not.
void tell_places(Comparison& comparison, const Unshifted& unshifted, const HiddenCases& hidden);

}  // namespace harness
