// A run has its devices to itself: see measure/device_lock.h.
#pragma once

#include <string>
#include <vector>

#include "harness/base/result.h"
#include "harness/cli/measuring/prepare.h"
#include "harness/measure/schedule/device_lock.h"

namespace CLI {
class App;
}

namespace harness {

// A device that cases of the plan are measured on.
struct UsedDevice {
  std::string kind;  // "cuda"
  std::string name;  // "cuda:1"
  std::string uuid;  // of its fingerprint; "cpu" for the CPU
};
// All of them, each once.
std::vector<UsedDevice> devices_used(const Prepared& prepared);

// Declares --wait. `text` is "" unless it is given.
void add_wait_option(CLI::App& command, std::string& text);

// Locks every device that the plan measures on, in an order that is the same for all runs, and says on
// standard error what it waits for. `wait`: a duration or "0"; "": as long as it takes. A scripted device
// is no device of the host and is locked only when `wait` is given.
Result<std::vector<DeviceLock>> lock_devices(const Prepared& prepared, const std::string& wait);

}  // namespace harness
