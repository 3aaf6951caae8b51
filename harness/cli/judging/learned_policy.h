// The noise of each case that a store knows: from calibrations, else from the case's own history.
#pragma once

#include "harness/model/results/comparison.h"
#include "harness/store/history.h"
#include "harness/store/store.h"

namespace harness {

// The spreads that the calibrations among `stored` measured for this kind of device on this machine.
std::vector<LearnedSpread> learned_of(const StoredHistory& stored, const std::string& kind,
                                      const Machine& machine);

// The noise of each case in the newest runs of `current`'s suite on the machine's device, along first parents
// of its commit. Where their code is known, only runs of the same code are compared (learn_from_history).
// Runs with uncommitted changes are left out, and `current` itself. The repository is that of the working
// folder; without it, runs of any commit count.
std::vector<LearnedSpread> learned_from_runs(Store& store, const Record& current, const std::string& kind,
                                             const Machine& machine);

// `policy` with what the store says of each case of the record's suite: its calibrations, else its runs. If
// the store cannot be read, the usual spreads are assumed.
Policy with_learned(Store& store, Policy policy, const Record& current);

}  // namespace harness
