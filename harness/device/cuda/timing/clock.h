// The SM clock, and keeping the device busy until it settles.
#pragma once

#include <cuda_runtime.h>

#include <memory>

#include "harness/base/result.h"
#include "harness/base/units.h"
#include "harness/device/cuda/gpu_kernels.h"
#include "harness/device/cuda/timing/cache.h"

namespace harness::cuda {

// Monotonic host time, in seconds.
Seconds host_now();

// The host waits for `duration`: it sleeps for most of a long one, and spins at the end, so that it is exact.
void wait_on_host(Seconds duration);

// Measures the SM clock with a kernel of one thread: SM cycles over ticks of the global timer.
class ClockMeter {
 public:
  static Result<std::unique_ptr<ClockMeter>> create();

  // GHz, over 200 us; 0 when the device has no working global timer or refused the launch.
  double ghz(cudaStream_t stream);

  // A short reading, over 8 us: begin() queues it, and result() waits for it. The result lies in mapped host
  // memory, so that nothing else is queued. result(): GHz, good to 0.3 %; 0 as above, or after 2 ms.
  void begin(cudaStream_t stream);
  double result();

 private:
  struct FreeHostMemory {
    void operator()(ClockReading* reading) const { (void)cudaFreeHost(reading); }
  };

  ClockMeter() = default;
  bool queue(cudaStream_t stream, unsigned long long nanoseconds);

  std::unique_ptr<ClockReading, FreeHostMemory> reading_;  // pinned and mapped
  ClockReading* device_reading_ = nullptr;
  bool begun_ = false;
};

// Keeps the device busy with arithmetic and memory traffic for `duration` of wall time.
Status preheat_device(cudaStream_t stream, int multiprocessors, CacheFlusher& memory, Seconds duration);

// Keeps the Tensor Cores busy for `duration` of wall time.
Status work_at_full_power(cudaStream_t stream, int multiprocessors, Seconds duration);

}  // namespace harness::cuda
