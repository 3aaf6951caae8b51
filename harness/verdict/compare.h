// Compare: two records and a policy in, a verdict per case and metric out, with its evidence. Pure.
// The method: README.md of this folder.
#pragma once

#include <vector>

#include "harness/model/results/comparison.h"

namespace harness {

struct CaseRows;         // case_rows.h
struct ComparedRecords;  // compared_records.h
struct Trace;            // trace.h

// Every case of either record gets a row. A different `block` field of the fingerprints makes rows
// not_comparable, except for the device's UUID where the policy allows another device of the model. The
// result does not depend on the number of threads (0: one a processor).
Comparison compare(const Record& baseline, const Record& current, const Policy& policy, unsigned threads = 0);

// The same, which also keeps its trace.
Comparison compare(const Record& baseline, const Record& current, const Policy& policy, Trace& trace,
                   unsigned threads = 0);

// The rest of compare(), from the rows of all cases. `trace` may be null.
Comparison finish_comparison(CaseRows rows, const ComparedRecords& records, const Policy& policy,
                             Trace* trace);

// The rows of compare() in the order of `current`, with verdict, ratio, interval and p-values, by the same
// code; without diagnostics, plans and waivers, and unsorted. On the caller's thread alone.
std::vector<ComparisonRow> verdicts(const Record& baseline, const Record& current, const Policy& policy);

}  // namespace harness
