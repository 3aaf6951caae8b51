// Compare: two records and a policy in, a verdict per case and metric out, with its evidence. Pure.
// The method: README.md of this folder.
#pragma once

#include "harness/model/comparison.h"

namespace harness {

// Every case of either record gets a row. Records of different machines are judged by the fields of
// their fingerprints: a difference in a `block` field makes rows not_comparable, unless it is only
// the device's UUID and the policy allows another device of the same model. Cases are worked on by as many
// threads, 0: as many as there are processors; the result is the same on any number.
Comparison compare(const Record& baseline, const Record& current, const Policy& policy, unsigned threads = 0);

// The one value a process stands for: exp of the mean over placements of the trimmed mean of log
// samples (stats/estimator.h). Same order as `series.processes`; processes without samples are left
// out.
std::vector<double> process_values(const Series& series);

}  // namespace harness
