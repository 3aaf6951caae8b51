#include "harness/store/baseline/completeness.h"

#include <algorithm>

#include "harness/model/device_kinds.h"

namespace harness {

int processes_needed(const CaseRecord& one) {
  if (find_device_kind(one.device) == nullptr) return 1;  // another tool measured, by its own plan
  const Sampling asked = one.suite_sampling.value_or(one.sampling);
  if (one.sampling.placements < asked.placements || one.sampling.samples < asked.samples) return 0;
  return asked.processes;
}

int count_measured(const CaseRecord& one) {
  return static_cast<int>(
      std::count_if(one.processes.begin(), one.processes.end(), [](const ProcessResult& result) {
        return result.process > 0 && result.process <= last_plain_process &&
               result.outcome == Outcome::measured;
      }));
}

bool is_complete(const CaseRecord& one) {
  const int needed = processes_needed(one);
  return one.outcome == Outcome::measured && needed > 0 && count_measured(one) >= needed;
}

}  // namespace harness
