// The reach of a proof by launches: the metrics that depend on nothing but what the device is given to do.
// The build proves all metrics (verdict/check/proof.h).
#pragma once

#include <algorithm>
#include <string>
#include <string_view>
#include <vector>

#include "harness/model/counter.h"
#include "harness/model/device_kinds.h"
#include "harness/model/known_metrics.h"
#include "harness/model/plan.h"
#include "harness/model/program_metrics.h"

namespace harness {

// Whether such a proof covers the metric of a case on this kind of device. The error is covered, because
// equal work on equal inputs has equal outputs. The peak of memory is part of the digest, where it is
// measured.
inline bool proof_covers(std::string_view metric, std::string_view device) {
  const DeviceKind* kind = find_device_kind(device);
  return (kind != nullptr && metric == kind->time_metric) || metric == cycles_metric.name ||
         metric == kernel_time_metric.name || metric == buffer_memory_metric.name ||
         metric == peak_memory_metric.name || metric == error_metric.name || metric == energy_metric.name ||
         metric == sustained_time_metric.name || is_counter_name(metric);
}

// The same of a case: a program's proof covers the kernels of its steps, and nothing of the host; one by
// files covers all. `Case`: a planned one, or one of a record.
template <class Case>
bool proof_covers_of(std::string_view metric, const Case& one) {
  if (!one.program) return proof_covers(metric, one.device);
  if (one.program->is_observed()) return true;
  return metric == traced_kernel_time || metric == traced_busy_time;
}

// The metrics of a case that have a gate of their own which no proof by launches covers. A gate of `time` is
// of the device's time.
inline std::vector<std::string> gated_beyond_reach(const PlannedCase& planned) {
  std::vector<std::string> gated;
  for (const MetricGate& gate : planned.gate.metrics)
    if (!gate.informative && gate.metric != time_metric.name && !proof_covers_of(gate.metric, planned) &&
        std::find(planned.metrics.begin(), planned.metrics.end(), gate.metric) != planned.metrics.end())
      gated.push_back(gate.metric);
  return gated;
}

}  // namespace harness
