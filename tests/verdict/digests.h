// Cases with digests of their launches, as measured processes and looks leave them.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "facts.h"
#include "records.h"

namespace harness {

inline CaseRecord with_digest(CaseRecord record, const std::string& digest, int process = 1) {
  ProcessResult result;
  result.case_id = record.id;
  result.process = process;
  result.outcome = process == 0 ? Outcome::looked_at : Outcome::measured;
  result.identity = Identity{digest};
  if (digest.empty()) result.identity->gap = told_cause("a library is not known");
  record.processes.push_back(result);
  return record;
}

inline CaseRecord measured(const std::vector<double>& values, const std::string& digest) {
  return with_digest(case_of("c", {series_at(values)}), digest);
}

inline CaseRecord looked(const std::string& digest) {
  CaseRecord record = with_digest(case_of("c", {}), digest, 0);
  record.outcome = Outcome::looked_at;
  return record;
}

// A gate of its own for the metric.
inline CaseRecord gated(CaseRecord record, const std::string& metric, bool informative = false) {
  record.gate.metrics.push_back({metric, 0.05, {}, informative});
  return record;
}

// A look that tells a loss.
inline CaseRecord telling(CaseRecord record, double value) {
  record.series.push_back({"loss", "nats", Direction::lower_is_better, {process_at(0, value)}});
  return record;
}

}  // namespace harness
