// Measuring both builds of an A/B run into two records of the store.
#pragma once

#include <functional>
#include <optional>
#include <set>
#include <string>

#include "harness/base/result.h"
#include "harness/cli/ab/ab_side.h"
#include "harness/cli/ab/shifted_builds.h"
#include "harness/cli/measuring/measure_record.h"
#include "harness/model/record.h"
#include "harness/store/store.h"

namespace harness {

struct AbRecords {
  Record baseline;
  Record current;
  bool interrupted = false;  // what was finished is in the store
  Unshifted unshifted = {};  // changed cases that were not measured at other places of their code
  HiddenCases hidden = {};   // that were to be measured so, though nothing is called worse
};

struct AbMeasuring {
  std::optional<PairedBuilds> pair = {};  // measure both in one process, else in processes that take turns
  bool partial = false;                   // --filter or --tag left cases out
  bool quiet = false;
  std::map<std::string, std::vector<MachineField>> facts = {};  // as in Prepared
  std::function<void(const AbRecords&)> on_begin = {};  // the records as planned, before anything is measured
  bool look = true;  // first: cases that are proven identical are not measured
  // Called after measuring: the regressed cases to measure again on fresh processes.
  std::function<std::set<std::string>(const AbRecords&)> red = {};
  // The cases of builds in one process whose verdict needs more processes that hold one build alone.
  std::function<std::set<std::string>(const AbRecords&)> doubtful = {};
  // Called after that: the changed cases to measure at all places of their code.
  std::function<MovableCases(const AbRecords&)> movable = {};
  // And after that: those that pass or are undecided, which their place may hide.
  std::function<HiddenCases(const AbRecords&)> hidden = {};
};

// The record of a side as planned. Both sides get one pairing.
Record record_of_side(const AbSide& side, const Pairing& pairing, bool partial);

// Marks the cases of `record` that only its side of `plan` can measure: they are not in `common`.
void leave_out_the_rest(Record& record, const Plan& plan, const Plan& common);

// The seed of the order of the turns, from the pairing's id. Both records keep the id, so the order never
// changes.
std::uint64_t order_seed(const std::string& uuid);

// The records of both sides as planned, with one pairing.
AbRecords records_of_both(const AbSide& baseline, const AbSide& current, const AbMeasuring& how);

// The look of measure_both() alone. The records must have been begun, and the devices locked. The store keeps
// the looks at proven cases.
Result<SparedCases> look_at_both(Store& store, const AbSide& baseline, const AbSide& current,
                                 const AbMeasuring& how, AbRecords& records);

// The devices must be locked. Both records carry one Pairing, whose id also gives the order of the turns.
Result<AbRecords> measure_both(Store& store, const AbSide& baseline, const AbSide& current,
                               const AbMeasuring& how);

}  // namespace harness
