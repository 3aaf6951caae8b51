// Machines whose results may be in one record of a campaign.
#pragma once

#include "harness/base/result.h"
#include "harness/model/record.h"

namespace harness {

// An error if the class, a blocking field or the driver of the machines differs. The lock of clocks does not
// count, nor a driver that one of them does not tell.
Status check_alike(const Machine& known, const Machine& machine);

}  // namespace harness
