// Process values: one value for each process of a series. Pure.
#pragma once

#include <vector>

#include "harness/model/record.h"

namespace harness {

// The exp of the mean over placements of the trimmed mean of log samples (stats/estimate/estimator.h), in the
// order of `series.processes`. Processes without samples are left out.
std::vector<double> process_values(const Series& series);

}  // namespace harness
