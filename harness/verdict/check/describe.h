// Describe: the diagnostics of a row, from the readings of the sides that it shows. Pure.
#pragma once

#include "harness/verdict/compared_records.h"
#include "harness/verdict/read/side.h"

namespace harness {

// Adds diagnostics and changed kernels to the row. Does nothing unless the records are compared for words.
void describe(ComparisonRow& row, const CaseRecord& before, const CaseRecord& after,
              const SideReading& baseline, const SideReading& current, const ComparedRecords& records);

}  // namespace harness
