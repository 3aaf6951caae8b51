// A run as a CI shows it. Pure.
#pragma once

#include <vector>

#include "harness/model/results/summary.h"
#include "harness/report/ci_view.h"

namespace harness::report {

// A planned case without a result never passes.
CiView run_ci(const Record& record, const std::vector<Summary>& summaries);

}  // namespace harness::report
