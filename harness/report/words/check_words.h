// The questions that come before the test, with their answers.
#pragma once

#include <string>

#include "harness/model/results/explanation.h"

namespace harness::report {

// "sampling: yes, the same settings".
std::string check_words(const ComparabilityCheck& check, const ComparisonRow& row);

}  // namespace harness::report
