// CudaSensors: which GPU this is and what state it is in. One thread uses it.
#pragma once

#include <cuda_runtime.h>

#include <memory>
#include <string>

#include "harness/device/cuda/timing/clock.h"
#include "harness/device/cuda/timing/gate.h"
#include "harness/device/cuda/timing/work_queue.h"
#include "harness/device/host/nvml.h"
#include "harness/device/sensors.h"
#include "harness/device/timer.h"

namespace harness::cuda {

// Shared with the other parts of the device; all of it outlives the sensors.
struct SensorParts {
  WorkQueue& queue;
  Timer& timer;
  const Gate& gate;
  std::optional<Note> gate_obstacle;
  int ordinal;
};

class CudaSensors final : public Sensors {
 public:
  static Result<std::unique_ptr<CudaSensors>> create(SensorParts parts, const cudaDeviceProp& properties);

  [[nodiscard]] Machine fingerprint() override;
  Result<std::map<std::string, double>> measure_ceilings() override;
  Result<double> measure_link() override;
  double clock_ghz() override { return meter_->ghz(parts_.queue.use()); }
  Since<Conditions> watch_conditions() override;
  std::optional<int> other_processes() override { return nvml_.other_processes(); }
  Since<EnergyLog> watch_energy() override;
  std::optional<double> power_cap() override;

 private:
  CudaSensors(SensorParts parts, const cudaDeviceProp& properties, std::unique_ptr<ClockMeter> meter);

  SensorParts parts_;
  cudaDeviceProp properties_;
  std::unique_ptr<ClockMeter> meter_;
  Nvml nvml_;
};

}  // namespace harness::cuda
