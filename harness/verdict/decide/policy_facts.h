// Policy facts: the policy in force, each value with its origin. Pure.
#pragma once

#include <vector>

#include "harness/model/results/comparison.h"

namespace harness {

// The comparison must have its rows and waivers. A gate with the built-in value counts as the standard, any
// other as the suite's.
std::vector<PolicyFact> facts_of_policy(const Comparison& comparison);

}  // namespace harness
