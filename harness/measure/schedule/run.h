// The parent's side of a run: starts worker processes as the schedule says, hands every result to the journal
// as it arrives, and survives workers that crash, hang or refuse. Opens no device itself.
#pragma once

#include <cstdint>

#include "harness/measure/schedule/run_options.h"

namespace harness {

// Runs every unskipped case of `plan`. An Error only when nothing can be run or the journal fails.
Result<RunReport> run_plan(const Plan& plan, const RunOptions& options);

// Runs two plans, the baseline's and the current build's, in processes that take turns: process i of one
// comes right after process i of the other, in the order of stats/series/turns.h.
Result<RunReport> run_in_turns(const Turn& baseline, const Turn& current, std::uint64_t seed);

}  // namespace harness
