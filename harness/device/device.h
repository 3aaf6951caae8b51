// Device: the only seam between the harness and hardware, in four parts. Each kind has its folder: cpu/,
// cuda/ (in the CUDA module), scripted/ (replays durations, for tests). One thread of a worker process uses
// it; the parent never opens a GPU.
#pragma once

#include "harness/device/memory.h"
#include "harness/device/profiler.h"
#include "harness/device/sensors.h"
#include "harness/device/timer.h"

namespace harness {

class Device {
 public:
  Device() = default;
  Device(const Device&) = delete;
  Device& operator=(const Device&) = delete;
  virtual ~Device() = default;

  [[nodiscard]] virtual const sdk::DeviceTraits& traits() const = 0;
  [[nodiscard]] virtual Timer& timer() = 0;
  [[nodiscard]] virtual Memory& memory() = 0;
  [[nodiscard]] virtual Profiler& profiler() = 0;
  [[nodiscard]] virtual Sensors& sensors() = 0;
};

}  // namespace harness
