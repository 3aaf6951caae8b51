// Whether the metrics exist that a suite names in `metrics` and in `gate`, so that a misspelt name is an
// error.
#pragma once

#include <span>

#include "harness/catalog/catalog.h"
#include "harness/model/plan.h"
#include "harness/suite/suite.h"
#include "harness/suite/yaml/errors.h"

namespace harness {

// Adds an error for each of the group's `metrics` that is neither built in, nor declared by the workload, nor
// named like a hardware counter (counters.h looks those up). True when there is none.
bool check_metrics(const CaseGroup& group, const sdk::Workload& workload, ErrorList& errors);

// Adds an error for each gate of a metric that is neither built in (model/known_metrics.h) nor declared by a
// workload: of the whole suite for a gate in `defaults`, of the group elsewhere. `first_call` stands beside
// the samples of the time and is never compared, so it can have none.
void check_gate_metrics(const Suite& suite, const Catalog& catalog, ErrorList& errors);

// Adds an error for each metric of GPUs (model/known_metrics.h) that a group names, among its metrics or with
// a gate that decides, all of whose cases run on a CPU.
void check_gpu_metrics(const Suite& suite, std::span<const PlannedCase> cases, ErrorList& errors);

}  // namespace harness
