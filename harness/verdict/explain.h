// Explain: the rows of a comparison with the evidence of each verdict. compare() makes the comparison, and
// its trace holds the evidence. Only the values of single placements are computed here. Pure.
#pragma once

#include <string>

#include "harness/model/results/explanation.h"

namespace harness {

// The rows whose case id matches `pattern` (a whole id; * and ? are wildcards) and, unless it is "", whose
// metric is `metric`. None when nothing matches.
Retelling explain(const Record& baseline, const Record& current, const Policy& policy,
                  const std::string& pattern, const std::string& metric = {});

}  // namespace harness
