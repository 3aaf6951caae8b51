// Selection: which cases of a plan the user asked for, by wildcards over ids and by tags.
#pragma once

#include "harness/suite/plan_options.h"
#include "harness/suite/yaml/errors.h"

namespace harness {

// Removes the cases that `filters` and `tags` leave out, and references to them. An error for each
// filter or tag that matches nothing, and when together they leave nothing.
void select_cases(Plan& plan, const PlanOptions& options, ErrorList& errors);

}  // namespace harness
