// Words for what `harness doctor` found.
#pragma once

#include <string>

#include "harness/model/results/examination.h"

namespace harness::report {

// The state that was found: "345 MHz now, 1980 MHz at most".
std::string words(const Observation& finding);

// The advice and its reason; "" exactly when the fitness is ok.
std::string advice(const Observation& finding);

}  // namespace harness::report
