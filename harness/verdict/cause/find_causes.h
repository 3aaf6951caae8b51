// Why the time of a row changed: causes in the order of how likely each is the first one. Pure.
//
// The rules hold for a slowdown. A speedup has the causes of the slowdown that would undo it.
#pragma once

#include <memory>
#include <vector>

#include "harness/model/code/change_causes.h"
#include "harness/model/results/comparison.h"
#include "harness/verdict/compared_records.h"
#include "harness/verdict/read/side.h"

namespace harness {

// All that the records tell of a row. Both sides' clocks are of the readings.
CauseEvidence cause_evidence(const ComparisonRow& row, const CaseRecord& before, const CaseRecord& after,
                             const SideReading& baseline, const SideReading& current,
                             const ComparedRecords& records);

// At least one: that nothing was found, or that too little is known, if need be. `code`: of kernels that were
// found in both builds.
std::vector<ChangeCause> find_causes(const CauseEvidence& evidence, const std::vector<CodeSides>& code = {});

// Sets the causes of a row whose time may have changed, by its records.
void add_causes(ComparisonRow& row, const CaseRecord& before, const CaseRecord& after,
                const SideReading& baseline, const SideReading& current, const ComparedRecords& records);
// Removes those of rows that did not change after all.
void keep_causes_of_changes(std::vector<ComparisonRow>& rows);
// Finds the causes of a row again, with the code of both builds.
void add_code(ComparisonRow& row, std::vector<CodeSides> code);
// The same with hardware counters of one call a side. They come after the code, which they follow from.
void add_counters(ComparisonRow& row, std::vector<CounterReading> baseline,
                  std::vector<CounterReading> current);

}  // namespace harness
