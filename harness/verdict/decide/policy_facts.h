// Policy facts: the policy in force, each value with the place that it came from, and what in it has no
// effect. Pure.
#pragma once

#include <string>
#include <vector>

#include "harness/model/comparison.h"

namespace harness {

// Of a comparison with its rows and waivers. A gate with the built-in value counts as the default, any other
// as the suite's.
std::vector<PolicyFact> facts_of_policy(const Comparison& comparison);

// A sentence for each gate of a metric that no case it stands in has, with the nearest name.
std::vector<std::string> remarks_on_gates(const Record& current);

}  // namespace harness
