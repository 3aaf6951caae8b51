// Selection: which cases of a plan the user asked for, by wildcards over ids and by tags.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "harness/model/plan.h"
#include "harness/suite/plan_options.h"
#include "harness/suite/yaml/errors.h"

namespace harness {

// Whether filters and tags let a case through. A program and its benchmarks are measured together: a filter
// that names one of them, such as `sort/BM_*`, selects all.
bool is_selected(const std::string& id, const std::optional<Program>& program,
                 const std::vector<std::string>& tags, const std::vector<std::string>& filters,
                 const std::vector<std::string>& wanted_tags);

// Removes the cases that `filters` and `tags` leave out, and references to them. An error for each
// filter or tag that matches nothing, and when together they leave nothing.
void select_cases(Plan& plan, const PlanOptions& options, ErrorList& errors);

}  // namespace harness
