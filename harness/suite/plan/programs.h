// The programs of a suite as planned cases.
#pragma once

#include "harness/suite/plan/case_list.h"
#include "harness/suite/plan_options.h"
#include "harness/suite/suite.h"
#include "harness/suite/yaml/errors.h"

namespace harness {

// Adds the case of each program. Their benchmarks are not known before they have run.
void add_programs(const Suite& suite, const PlanOptions& options, CaseList& list, ErrorList& errors);

}  // namespace harness
