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
#include <vector>

#include "harness/device/energy.h"
#include "harness/device/timer.h"

namespace harness {

struct EnergyOfCalls {
  double joules = 0;     // of a call, without what the device draws in pauses
  double open = 0;       // a share of `joules`
  double watts = 0;      // of the device while it works
  int steps = 0;         // of the counter
  Seconds interval = 0;  // between two of them, the mean
};

// Steps between `from` and the last end of a round count. `idle_watts`: that the device draws in pauses.
// std::nullopt with fewer than `least_steps`, and where they tell no energy.
std::optional<EnergyOfCalls> energy_of_calls(const EnergyLog& log, const std::vector<EndedCalls>& progress,
                                             Seconds from, double idle_watts);

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

// The time of a call that follows others without a pause, from its time at the boost clock, its energy and
// the power that the device keeps to.
//
// Without a limit a call takes `boost`. A device that would draw more than `cap` lowers its clock until it
// draws `cap`, so a call of `joules` takes joules / cap then. That is longer than `boost`, or there would be
// no need to lower the clock. So the larger of both holds.
//
// `joules` is of the clock where the device ends up, as calls without pauses have it. At the boost clock the
// voltage is higher, so the same call needs more, and the time by it would be too long. Limits other than
// power, such as heat, are not foreseen.
Seconds sustained_time_by(Seconds boost, double joules, double cap);

}  // namespace harness
