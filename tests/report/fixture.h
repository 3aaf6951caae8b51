// One plan, record and comparison, built in code, from which every golden file is rendered.
#pragma once

#include <string>
#include <vector>

#include "harness/model/comparison.h"
#include "harness/model/plan.h"
#include "harness/model/summary.h"

namespace harness::fixture {

Plan plan();
Record record();
std::vector<Summary> summaries();
Comparison comparison();

// The comparison under a policy: a waived regression, an informative row, kernels that moved, waivers that
// hold, are not needed, and have expired.
Comparison governed_comparison();

// Names that attack a terminal, a Markdown page or a table.
std::vector<std::string> hostile_names();

// The plan, run and comparison with every name, reason and note replaced by `name`.
Plan hostile_plan(const std::string& name);
Record hostile_record(const std::string& name);
std::vector<Summary> hostile_summaries(const std::string& name);
Comparison hostile_comparison(const std::string& name);

}  // namespace harness::fixture
