// Selection: which cases of a plan the user asked for, by wildcards over ids and by tags.
#pragma once

#include <string>
#include <vector>

#include "harness/suite/plan_options.h"
#include "harness/suite/yaml/errors.h"

namespace harness {

// Whether filters and tags let a case with this id and these tags through.
bool is_selected(const std::string& id, const std::vector<std::string>& tags,
                 const std::vector<std::string>& filters, const std::vector<std::string>& wanted_tags);

// Removes the cases that `filters` and `tags` leave out, and references to them. An error for each
// filter or tag that matches nothing, and when together they leave nothing.
void select_cases(Plan& plan, const PlanOptions& options, ErrorList& errors);

}  // namespace harness
