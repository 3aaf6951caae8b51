// Words for what `harness doctor` and elements of a campaign found.
#pragma once

#include <string>

#include "harness/model/results/examination.h"
#include "harness/model/results/sick_device.h"

namespace harness::report {

// The state that was found: "345 MHz now, 1980 MHz at most".
std::string words(const Observation& finding);

// The advice and its reason; "" exactly when the fitness is ok.
std::string advice(const Observation& finding);

// Why the results of a device are not used.
std::string words(const Sickness& why);
// The words for a Sickness that is among other figures as `why`.
std::string sick_words(const Figures& figures);

}  // namespace harness::report
