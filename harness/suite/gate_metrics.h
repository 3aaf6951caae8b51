// Gate metrics: whether the metrics that a suite gives gates of their own exist, so that a misspelt name is
// an error and not a gate without effect. Pure.
#pragma once

#include "harness/suite/suite.h"
#include "harness/suite/yaml/errors.h"

namespace harness {

// Adds an error for each gate of a metric that is neither built in (model/metric.h) nor declared by a
// workload: of the whole suite for a gate in `defaults`, of the group elsewhere. `first_call` stands beside
// the samples of the time and is never compared, so it can have none.
void check_gate_metrics(const Suite& suite, const Catalog& catalog, ErrorList& errors);

}  // namespace harness
