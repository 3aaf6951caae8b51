// What calibrations in a store taught about sessions and devices, for a comparison.
#pragma once

#include "harness/model/comparison.h"
#include "harness/store/history.h"
#include "harness/store/store.h"

namespace harness {

// What the calibrations among `stored` taught of the device of this kind on this machine.
std::vector<LearnedSpread> learned_of(const StoredHistory& stored, const std::string& kind,
                                      const Machine& machine);

// `policy` with what the store's calibrations of the record's suite and machine class say of each case. A
// store that cannot be read teaches nothing: what is usual is assumed.
Policy with_learned(Store& store, Policy policy, const Record& current);

}  // namespace harness
