// A run has its devices to itself: see measure/schedule/device_lock.h.
#pragma once

#include <functional>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "harness/base/result.h"
#include "harness/base/units.h"
#include "harness/cli/measuring/prepare.h"
#include "harness/measure/schedule/device_lock.h"

namespace harness {

// A device that cases of the plan are measured on.
struct UsedDevice {
  std::string kind;  // "cuda"
  std::string name;  // "cuda:1"
  std::string uuid;  // of its fingerprint; "cpu" for the CPU
};
// All of them, each once.
std::vector<UsedDevice> devices_used(const Prepared& prepared);

struct Locking {
  std::optional<Seconds> wait;        // at most for each device; not given: without limit
  std::set<std::string> shared = {};  // kinds whose devices are locked together with others that share them
  std::function<void()> tick = {};    // called several times a second while it waits
};

// Locks every device that the plan measures on, in the same order in all runs. Says on standard error what it
// waits for. A scripted device is locked only when `wait` is given.
Result<std::vector<DeviceLock>> lock_devices(const Prepared& prepared, const Locking& how);

}  // namespace harness
