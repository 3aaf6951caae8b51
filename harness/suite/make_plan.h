// From a suite to the plan of its cases.
#pragma once

#include <functional>
#include <map>
#include <string>
#include <vector>

#include "harness/catalog/catalog.h"
#include "harness/model/counter.h"
#include "harness/suite/suite.h"

namespace harness {

struct PlanOptions {
  std::map<std::string, Cause> unavailable_devices;  // by kind; all its cases are planned as skipped
  std::vector<std::string> filters;                  // wildcards over case ids; a `!` in front excludes
  std::vector<std::string> tags;                     // any of these; empty: all
  Overrides overrides;                               // from the command line; win over the suite's
  // Looks up the hardware counters of a case, which are read together. Without it they are not looked up.
  std::function<CounterPlan(const std::vector<std::string>& names)> plan_counters = {};
};

// Expands a suite to its cases. Every name and value is checked against the catalog, which holds the suite's
// modules already. Cases stand in the order of the groups; within a group, the variants at a point stand
// beside each other. settings.h tells which setting wins. A case that cannot run here is planned all the
// same, with its cause in `skip`. A reference that a filter left out becomes "". At most 100,000 cases.
Checked<Plan> make_plan(const Suite& suite, const Catalog& catalog, const PlanOptions& options);

}  // namespace harness
