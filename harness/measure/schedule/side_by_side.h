// A run on several devices of one class at the same time: each has a lane, a thread that starts the worker
// processes which are that device's, one after the other. Kinds that have one device are measured before,
// alone: the CPU must not be timed while it launches for two GPUs. run_plan() calls this.
#pragma once

#include "harness/measure/schedule/run.h"

namespace harness {

// The caller has an InterruptGuard.
Result<RunReport> run_side_by_side(const Plan& plan, const RunOptions& options);

// A run without lanes; neither sets up anything for signals. What a lane runs.
Result<RunReport> run_one_by_one(const Plan& plan, const RunOptions& options);

}  // namespace harness
