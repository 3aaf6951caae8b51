// CudaDevice: one NVIDIA GPU, with its peers where calls use several. Owns the four parts of the device and
// what they share: the queue, the gate, the flush buffer and the code watch. One thread uses it.
//
// After a sticky CUDA error every call fails with that error's text: see check.h.
#pragma once

#include <cuda_runtime.h>

#include <memory>
#include <vector>

#include "harness/device/cuda/cuda_memory.h"
#include "harness/device/cuda/cuda_sensors.h"
#include "harness/device/cuda/profiling/cuda_profiler.h"
#include "harness/device/cuda/timing/cuda_timer.h"
#include "harness/device/device.h"

namespace harness::cuda {

class CudaDevice final : public Device {
 public:
  // Makes the first of these GPUs current and creates its context; the others become its peers. The error
  // names the cause: no or too old a driver, no such GPU, no machine code for it in this build, or no access
  // from one GPU to another.
  static Result<std::unique_ptr<CudaDevice>> open(const std::vector<int>& ordinals,
                                                  bool profiled_from_outside);

  [[nodiscard]] const sdk::DeviceTraits& traits() const override { return traits_; }
  [[nodiscard]] Timer& timer() override { return *timer_; }
  [[nodiscard]] Memory& memory() override { return *memory_; }
  [[nodiscard]] Profiler& profiler() override { return *profiler_; }
  [[nodiscard]] Sensors& sensors() override { return *sensors_; }

 private:
  CudaDevice(const std::vector<int>& ordinals, const cudaDeviceProp& properties, bool profiled_from_outside);
  Status create_parts();

  int ordinal_;
  cudaDeviceProp properties_;
  sdk::DeviceTraits traits_;
  // Shared by the parts below, so destroyed after them. The gate waits for a stream of the queue when it
  // ends.
  CodeWatch code_;
  CacheFlusher flusher_;
  std::unique_ptr<WorkQueue> queue_;
  std::unique_ptr<Gate> gate_;

  std::unique_ptr<CudaTimer> timer_;
  std::unique_ptr<CudaMemory> memory_;
  std::unique_ptr<CudaProfiler> profiler_;
  std::unique_ptr<CudaSensors> sensors_;
};

}  // namespace harness::cuda
