// How the CPU time of a program changed, beside the time that passed. Pure.
#pragma once

#include <optional>

#include "harness/model/record.h"

namespace harness {

// The log of the ratio of the mean CPU times of a case: of user and system time together, or of a benchmark's
// own. std::nullopt where a side does not tell it.
std::optional<double> cpu_change(const CaseRecord& baseline, const CaseRecord& current);

}  // namespace harness
