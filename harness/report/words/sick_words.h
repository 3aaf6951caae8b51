// Why the results of a device are not used.
#pragma once

#include <string>

#include "harness/model/results/sick_device.h"

namespace harness::report {

std::string words(const Sickness& why);
// The words for a Sickness that is among other figures as `why`.
std::string sick_words(const Figures& figures);

}  // namespace harness::report
