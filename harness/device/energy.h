// The counter of the energy that a device has used. It moves a few times a second, and reading it takes long.
// So only its steps tell something, and each only between two readings.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <vector>

#include "harness/base/units.h"
#include "harness/device/scope.h"

namespace harness {

// One step of the counter. The clock is Timer::now().
struct EnergyStep {
  double joules = 0;   // that it counts from here on, since whenever
  Seconds after = 0;   // when the last reading with the old value was begun
  Seconds before = 0;  // when the first reading with the new value had ended

  bool operator==(const EnergyStep&) const = default;
};

// The steps of a counter that was read again and again.
struct EnergyLog {
  std::vector<EnergyStep> steps;  // in order; the value at the first reading is none
  std::int64_t readings = 0;
  Seconds reading = 0;       // how long one took, the mean
  bool went_back = false;    // it wrapped, or was reset: `steps` ends there
  bool fell_silent = false;  // a reading failed: likewise
};

// Collects readings into a log. One thread.
class EnergySteps {
 public:
  // A reading that was asked for at `asked` and had ended at `told`; std::nullopt: it failed. False when no
  // further reading tells anything.
  bool add(std::optional<double> joules, Seconds asked, Seconds told);
  [[nodiscard]] EnergyLog take();

 private:
  EnergyLog log_;
  double last_ = 0;  // value, and when it was asked for
  Seconds last_asked_ = 0;
  Seconds spent_ = 0;
};

// Reads a counter in a thread of its own until the returned function is called, which waits for the reading
// at hand. Readings begin at least `apart` from each other. Absent where the first reading fails, which is
// made right away. `read` (joules) and `now` are called in both threads, never at once.
Since<EnergyLog> read_energy_apart(std::function<std::optional<double>()> read, std::function<Seconds()> now,
                                   Seconds apart);

}  // namespace harness
