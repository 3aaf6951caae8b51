// Floor: the least time in which a device can do the work that a workload declares. A time below it is no
// time of this work. Pure.
//
// The ceilings of the machine are rates of a large copy and of a large product. Other code can be faster: it
// reads more than it writes, keeps outputs in the cache, finds everything there, or uses smaller types. The
// floor allows for all of that, so that it never ends an honest kernel. A CPU has no floor: on a busy machine
// its ceilings are measured at a fiftieth of what they are.
#pragma once

#include <map>
#include <optional>
#include <string>

#include "harness/model/cause.h"
#include "harness/model/plan.h"
#include "harness/model/record.h"

namespace harness {

// Why a result is below 95 % of the floor: CauseCode::faster_than_possible. `ceilings`: Machine::ceilings.
// std::nullopt where it is not, and where work, ceilings or time are unknown.
std::optional<Cause> below_floor(const PlannedCase& planned, const std::map<std::string, double>& ceilings,
                                 const ProcessResult& result);

}  // namespace harness
