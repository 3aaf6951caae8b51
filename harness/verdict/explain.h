// Explain: the rows of a comparison with what each verdict rests on. The comparison is made by compare()
// itself, whose trace holds the evidence; only the values of single placements are taken apart here, by the
// estimator that put them together. Pure.
#pragma once

#include <string>

#include "harness/model/results/explanation.h"

namespace harness {

// The rows whose case id matches `pattern` (a whole id; * and ? are wildcards) and, unless it is "", whose
// metric is `metric`. None when nothing matches.
Retelling explain(const Record& baseline, const Record& current, const Policy& policy,
                  const std::string& pattern, const std::string& metric = {});

}  // namespace harness
