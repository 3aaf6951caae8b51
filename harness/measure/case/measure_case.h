// Measures one case in one process: inputs from the seed, first call, verification, placements with warm-up
// and samples, verification again, metrics, kernels. All time goes through the device, so a scripted device
// tests it without sleeping. Never fails as a function: failures are outcomes.
#pragma once

#include "harness/catalog/catalog.h"
#include "harness/device/device.h"
#include "harness/measure/schedule/carried.h"
#include "harness/model/plan.h"
#include "harness/model/record.h"

namespace harness {

// Shares inputs, references and memory with the other cases that this process measures.
ProcessResult measure_case(Device& device, const Catalog& catalog, const PlannedCase& planned, int process,
                           Carried& carried);
// The same for a single case.
ProcessResult measure_case(Device& device, const Catalog& catalog, const PlannedCase& planned, int process);

// Looks at one case: constructs its kernel, makes the first call, checks a few elements of its result, and
// reads what a call launches. No sample is taken. The outcome is looked_at, with kernels and identity, unless
// the case ends.
ProcessResult look_at_case(Device& device, const Catalog& catalog, const PlannedCase& planned, int process,
                           Carried& carried);

// Like a look, but reads the hardware counters among the planned metrics of one call, a series each, instead
// of launches. A profiler that refuses is a note.
ProcessResult counters_of_case(Device& device, const Catalog& catalog, const PlannedCase& planned,
                               int process, Carried& carried);

// The results of one case measured with two builds in one process; process and case are the same.
struct PairResult {
  ProcessResult baseline;
  ProcessResult current;
};

// Measures one case of two builds in this process, on the same inputs and in the same buffers: both first
// calls and checks, then in each placement samples in the order baseline current current baseline, every
// second placement the other way round. A build that ends is out, and the other goes on alone.
PairResult measure_pair(Device& device, const Catalog& baseline, const Catalog& current,
                        const PlannedCase& planned, int process, Carried& carried);
// look_at_case() of two builds.
PairResult look_at_pair(Device& device, const Catalog& baseline, const Catalog& current,
                        const PlannedCase& planned, int process, Carried& carried);
// counters_of_case() of two builds.
PairResult counters_of_pair(Device& device, const Catalog& baseline, const Catalog& current,
                            const PlannedCase& planned, int process, Carried& carried);

}  // namespace harness
