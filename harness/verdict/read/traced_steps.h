// Whether the steps of traced programs are the same work on both sides. Where no range marks a step, it is
// found by the launches, so a change of the program may make it longer or shorter. Pure.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>

#include "harness/model/record.h"
#include "harness/model/results/findings.h"

namespace harness {

// By the name of a traced program: why its steps must not be compared. They are found in another way, or in
// another number of processes. Or they are periods, and kernels with more than half of the time are launched
// more or less often in one. Only kernels with the same name on both sides tell that.
std::map<std::string, Obstacle> step_obstacles(const Record& baseline, const Record& current);

// Kernels of a step may run at the same time. Then the sum of their times counts moments twice and grows
// where more of them overlap, although nobody waits longer. So the time in which any of them runs decides
// instead.

// Sums that are larger by less are not told from kernels that follow each other. No default margin is smaller
// than half of it.
inline constexpr double notable_overlap = 0.01;

// The sum of kernel times over the time in which any kernel ran, of all steps; at least 1. Nothing where the
// record lacks one of the two.
std::optional<double> step_overlap(const CaseRecord& program);

// Whether `metric` informs, or decides, because kernels of the step overlap on a side and both sides tell
// both times: kernel_time then informs and busy_time decides. A gate of the suite with a margin or an alpha
// of its own stays as it is. Nothing: the gate alone says.
std::optional<bool> informs_by_overlap(const CaseRecord& before, const CaseRecord& after,
                                       std::string_view metric);

}  // namespace harness
