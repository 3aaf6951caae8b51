// The spread between sessions and devices that calibrations in a store measured, for a comparison.
#pragma once

#include "harness/model/results/comparison.h"
#include "harness/store/history.h"
#include "harness/store/store.h"

namespace harness {

// The spreads that the calibrations among `stored` measured for this kind of device on this machine.
std::vector<LearnedSpread> learned_of(const StoredHistory& stored, const std::string& kind,
                                      const Machine& machine);

// `policy` with what the store's calibrations of the record's suite and machine class say of each case. A
// store that cannot be read teaches nothing: what is usual is assumed.
Policy with_learned(Store& store, Policy policy, const Record& current);

}  // namespace harness
