// From a suite to the plan of its cases.
#pragma once

#include "harness/catalog/catalog.h"
#include "harness/suite/plan_options.h"

namespace harness {

// Expands a suite to its cases. Every name and value is checked against the catalog, which already holds the
// suite's modules. Cases stand in the order of the groups, and the variants at a point stand together.
// plan/settings.h tells which setting wins. A case that cannot run here is planned with its cause in `skip`.
// A reference that a filter left out becomes "". At most 100,000 cases.
Checked<Plan> make_plan(const Suite& written, const Catalog& catalog, const PlanOptions& options);

}  // namespace harness
