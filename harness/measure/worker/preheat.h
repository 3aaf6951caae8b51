// Preheat: keeping a device busy until its clock is steady, within bounds. Everything goes through the
// device, so a script of clock readings tests it without waiting.
#pragma once

#include "harness/device/device.h"
#include "harness/measure/schedule/carried.h"
#include "harness/model/plan.h"

namespace harness {

struct PreheatLimits {
  Seconds least = 0;         // 0: no preheating
  Seconds most = 0;          // below `least`: `least`
  double tolerance = 0.005;  // relative, within which readings of the clock agree
  Seconds full_power = 0;    // before the preheating
};

// The longest times and the narrowest tolerance that any case of a process asks for.
PreheatLimits preheat_of(const std::vector<PlannedCase>& cases);

struct Preheated {
  Seconds duration = 0;  // asked of the device
  bool steady = true;    // false where the clock still moved at the end; true where nothing tells it
  double clock_ghz = 0;  // last read, 0 when unknown
};

// Works at full power first. Then keeps the device busy for `least`, then in steps of 20 ms, with a clock
// reading after each. Ends when three readings in a row lie within the tolerance, or at `most`. The last two
// readings within `least` count, so a clock that is steady early costs only `least`. A device without a clock
// is kept busy for `least`.
Result<Preheated> preheat(Device& device, const PreheatLimits& limits);

// Keeps a device busy again that has idled since `warmth`, while the host prepared, checked or took memory:
// for a tenth of the idle time, at most a sixth of the process's preheating (50 ms of 300). An unused device
// gets the maximum. If the clock then differs from the warm reading, steps of 5 ms follow until two readings
// agree, up to that sixth. On an H200, idling for 2 to 800 ms changed neither clock nor samples but the
// first, which the warm-up takes. Updates `warmth`. No preheating at first: none again.
Result<Preheated> reheat(Device& device, const Sampling& sampling, Warmth& warmth);

}  // namespace harness
