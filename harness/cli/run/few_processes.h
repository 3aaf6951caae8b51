// Cases of a plan whose times can never get a verdict.
#pragma once

#include <string>
#include <string_view>

#include "harness/model/plan.h"
#include "harness/model/results/policy.h"

namespace harness {

// The time by which a case is judged: of its device, or of the kernels of a traced program.
std::string_view judged_time(const PlannedCase& planned);

// A line about the cases that measure fewer processes than a verdict on their times needs, where a gate
// judges these times; "" where there are none. Cases that a proof settles need none.
std::string few_processes_line(const Plan& plan, const Policy& policy);

}  // namespace harness
