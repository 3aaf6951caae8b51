// What `harness doctor` would say of this host, in one line before a run.
#pragma once

#include <string>

#include "harness/model/plan.h"

namespace harness {

// A line about why this host is unfit to measure the plan, and what is lost by it; "" where nothing does, and
// for scripted devices. A load that has just ended is no obstacle. `device`: of the CPU cases, as it is
// opened.
std::string unfitness_line(const Plan& plan, const std::string& device);

}  // namespace harness
