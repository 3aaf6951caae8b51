// SickCode: why the results of a device are not used. Plain data.
#pragma once

#include "harness/model/fact.h"

namespace harness {

enum class SickCode {
  throttled,  // placements, of: in which the device held its clock down; reason, as in Conditions::throttled
  busy,       // processes: most others that used the device
  moved,      // case, change, limit: against its own history, as shares; runs: of that history
  unfit,      // check: of the doctor, by name
};
template <>
inline constexpr auto enum_names<SickCode> = names<SickCode>({{SickCode::throttled, "throttled"},
                                                              {SickCode::busy, "busy"},
                                                              {SickCode::moved, "moved"},
                                                              {SickCode::unfit, "unfit"}});

using Sickness = Fact<SickCode>;

}  // namespace harness
