// Pairs: the ratios of both builds in the processes of an A/B run that measured both. Pure.
#pragma once

#include <vector>

#include "harness/model/record.h"

namespace harness {

// The log ratio, current over baseline, of each process that has samples of both (stats/hypothesis/paired.h),
// in the order of `current`. Processes are paired by their numbers.
std::vector<double> log_ratios(const Series& baseline, const Series& current);

}  // namespace harness
