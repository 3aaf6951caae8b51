// Measures a plan into a record of the store. Each result is stored as it arrives.
#pragma once

#include <chrono>
#include <functional>
#include <optional>
#include <string>

#include "harness/cli/measuring/prepare.h"
#include "harness/measure/schedule/run.h"
#include "harness/store/store.h"

namespace harness {

struct MeasureOptions {
  bool quiet = false;      // no progress line
  std::string label = {};  // in front of the progress line
  // No process begins after this.
  std::optional<std::chrono::steady_clock::time_point> deadline = {};
  bool measure_ceilings = true;
  int processes_before = 0;  // the numbers of the processes begin behind it
  // Time nothing: read the launches of each case in one process, and hand the results to this instead of the
  // store.
  std::function<Status(EncodedResult)> look = {};
};

// Adds to a worker's fingerprint the facts that only this process knows: `prepared.facts`, and the devices
// that the run takes turns on. Their UUIDs, sorted and joined by "+", become the machine's.
void complete(Machine& machine, const std::string& kind, const Prepared& prepared);

// Measures the part of `plan` that `record` lacks, on the record's device only. `record` and the store get
// machines and results alike. When the store cannot keep them the error names a file that does.
Result<RunReport> measure_into(Store& store, Record& record, const Plan& plan, const Prepared& prepared,
                               const MeasureOptions& options);

}  // namespace harness
