// Whether the steps of traced programs are the same work on both sides. Where no range marks a step, it is
// found by the launches, so a change of the program may make it longer or shorter. Pure.
#pragma once

#include <map>
#include <string>

#include "harness/model/record.h"
#include "harness/model/results/findings.h"

namespace harness {

// By the name of a traced program: why its steps must not be compared. They are found in another way, or in
// another number of processes. Or they are periods, and kernels with more than half of the time are launched
// more or less often in one. Only kernels with the same name on both sides tell that.
std::map<std::string, Obstacle> step_obstacles(const Record& baseline, const Record& current);

}  // namespace harness
