// DeviceTurn: the locks of an element's devices, from task to task, so that the last worker of one task ends
// while the first of the next starts. Nobody else gets the lock of a device on which a worker still ends. One
// thread uses it.
#pragma once

#include <chrono>
#include <functional>
#include <optional>
#include <vector>

#include "harness/base/result.h"
#include "harness/base/units.h"
#include "harness/measure/schedule/device_lock.h"
#include "harness/measure/schedule/worker_process.h"

namespace harness {

class DeviceTurn {
 public:
  using Lock = std::function<Result<std::vector<DeviceLock>>()>;

  // `longest`: it then offers the devices to others before it locks them again.
  DeviceTurn(EndingWorkers& workers, Seconds longest) : workers_(workers), longest_(longest) {}
  ~DeviceTurn() { end(); }
  DeviceTurn(const DeviceTurn&) = delete;
  DeviceTurn& operator=(const DeviceTurn&) = delete;

  // Locks the devices for tasks of `gpus` GPUs, if they are not locked yet. The error is that of `lock`.
  Status keep(int gpus, const Lock& lock);
  void end();

  // False for devices that nobody else can use, which have no locks.
  [[nodiscard]] bool locks_devices() const { return !locks_.empty(); }

 private:
  using Clock = std::chrono::steady_clock;

  EndingWorkers& workers_;
  Seconds longest_;
  std::vector<DeviceLock> locks_;
  std::optional<int> gpus_;  // of tasks that may be measured; none: it has ended
  Clock::time_point began_;
};

}  // namespace harness
