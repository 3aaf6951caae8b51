// What the instrument reads of a call that does nothing, in words beside a case that is hardly longer or
// that was timed in batches. Pure.
#pragma once

#include <optional>
#include <string>

#include "harness/model/record.h"

namespace harness {

// The medians of the processes' controls, and advice where one call between two events is mostly what the
// events cost, unless that has been `advised` already. `center_us`: the time of the case. std::nullopt where
// no process told a control, or where it is next to nothing beside a call that was timed by itself.
std::optional<std::string> control_note(const CaseRecord& record, double center_us, bool advised = false);

}  // namespace harness
