// Looking into a case: its kernels, and the hardware counters of the suite. Profilers slow calls down, so
// this happens in separate passes, after sampling. One thread uses it.
#pragma once

#include "harness/device/device.h"
#include "harness/model/plan.h"
#include "harness/model/record.h"

namespace harness {

// Whether this process times the case's kernels after its samples. That takes 15 to 25 ms on an H200, because
// a profiler is attached. So only the second process does, or the only one: the first attaches a profiler to
// identify the case. Metrics that the profiler reads are of every process.
bool times_kernels(const PlannedCase& planned, int process);

// Puts what is found into `result`: kernels, and one series a counter. A profiler that cannot look, and a
// counter that cannot be read, is worth a note with the reason and nothing more; an Error means that the
// device was lost. `call` queues one call of the case. Counters are those of a single call, with the cache of
// `pattern`.
Status look_into(Device& device, const Work& call, const CallPattern& pattern,
                 const std::vector<std::string>& metrics, ProcessResult& result);

// Puts one series a hardware counter among `metrics` into `result`, as look_into() does.
Status read_counters(Device& device, const Work& call, CacheMode cache,
                     const std::vector<std::string>& metrics, ProcessResult& result);

}  // namespace harness
