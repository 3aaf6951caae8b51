// Pairs: the ratios of both builds in an A/B run, process by process. Pure.
#pragma once

#include <optional>
#include <vector>

#include "harness/model/record.h"
#include "harness/verdict/read/side.h"

namespace harness {

// The log ratio, current over baseline, of each process that has samples of both (stats/hypothesis/paired.h),
// in the order of `current`. Processes are paired by their numbers.
std::vector<double> log_ratios(const Series& baseline, const Series& current);

// From this many pairs on, processes that take turns are compared pair by pair. A pair runs within a short
// time, so its processes share what changes on the machine (tests/rates/README.md, a busy host). With fewer
// pairs, the test of two means is the stronger one, because it has twice the degrees of freedom.
inline constexpr std::size_t least_pairs_in_turn = 20;

// The log ratio of the values of each such pair, in the order of `current`; std::nullopt below that number.
std::optional<std::vector<double>> ratios_in_turn(const SideReading& baseline, const SideReading& current);

}  // namespace harness
