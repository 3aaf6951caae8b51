// Energy of a call from what a counter did while calls followed each other. Pure.
//
// A step of the counter says how much energy had been used at a moment between two readings. The calls that
// had ended in the middle between them are known. Energy over calls is then a line, whose slope by least
// squares is the energy of a call. A delay that all steps share does not move it.
//
// The steps leave this open: each lies anywhere between its readings, and a call may draw its power at either
// end. `open` is the largest relative error of the slope that this allows, each step with the worst sign.
#pragma once

#include <optional>
#include <tl/expected.hpp>
#include <vector>

#include "harness/device/energy.h"
#include "harness/device/timer.h"
#include "harness/model/note.h"

namespace harness {

struct EnergyOfCalls {
  double joules = 0;     // of a call, without what the device draws in pauses
  double open = 0;       // a share of `joules`
  double watts = 0;      // of the device while it works
  int steps = 0;         // of the counter
  Seconds interval = 0;  // between two of them, the mean
};

// Steps between `from` and the last end of a round count. `idle_watts`: that the device draws in pauses.
// Without energy a note of why, but for its metric: fewer than `least_steps`, or steps that tell none; steps
// in a part of the time alone; or a slope that is not the same in both halves.
tl::expected<EnergyOfCalls, Note> energy_of_calls(const EnergyLog& log,
                                                  const std::vector<EndedCalls>& progress, Seconds from,
                                                  double idle_watts);

inline constexpr int least_steps = 6;

// The power of an idle device, in watts, from the first step to the last. std::nullopt with fewer than three.
std::optional<double> power_of_idling(const EnergyLog& log);

// Calls that followed each other.
struct SteadyCalls {
  std::int64_t calls = 0;
  Seconds span = 0;  // from the first to the end of the last
  Seconds idle = 0;  // of this, in pauses
  [[nodiscard]] Seconds call() const { return (span - idle) / static_cast<double>(calls); }
};

// From the first end of a round that is not before `from`. std::nullopt where less than one round follows.
std::optional<SteadyCalls> steady_calls(const std::vector<EndedCalls>& progress, Seconds from);

}  // namespace harness
