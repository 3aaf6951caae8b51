// Summaries of a record's cases: numbers for people, computed from raw samples. Pure.
#pragma once

#include <vector>

#include "harness/model/results/summary.h"

namespace harness {

// One Summary a (case, metric), in record order; a case without samples yields one with its outcome.
// Speedups use the case's `reference` within the same record.
std::vector<Summary> summarize(const Record& record, double confidence = 0.99);

}  // namespace harness
