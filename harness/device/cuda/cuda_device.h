// CudaDevice: the device.h seam on one NVIDIA GPU. Owns its streams, events, launch gate, flush buffer
// and the buffers' memory is owned by the Buffers it hands out, which must not outlive the process's
// context. One thread uses it; the gate's watchdog is the only other thread.
//
// After a sticky CUDA error every call fails with that error's text: see check.h.
#pragma once

#include <cuda_runtime.h>

#include <algorithm>
#include <memory>
#include <optional>
#include <string>

#include "harness/device/cuda/memory.h"
#include "harness/device/cuda/profiling/profiling.h"
#include "harness/device/cuda/profiling/ranges.h"
#include "harness/device/cuda/staging.h"
#include "harness/device/cuda/timing/cache.h"
#include "harness/device/cuda/timing/clock.h"
#include "harness/device/cuda/timing/gate.h"
#include "harness/device/cuda/timing/streams.h"
#include "harness/device/device.h"
#include "harness/device/host/nvml.h"

namespace harness::cuda {

class CudaDevice final : public Device {
 public:
  // Makes GPU `ordinal` current and creates its context. The error says what is in the way: no or too
  // old a driver, no such GPU, no machine code for it in this build.
  static Result<std::unique_ptr<CudaDevice>> open(int ordinal);
  CudaDevice(const CudaDevice&) = delete;
  CudaDevice& operator=(const CudaDevice&) = delete;
  ~CudaDevice() override;

  [[nodiscard]] const sdk::DeviceTraits& traits() const override { return traits_; }
  [[nodiscard]] Machine fingerprint() override;
  Result<std::map<std::string, double>> measure_ceilings() override;
  [[nodiscard]] std::string_view time_metric() const override { return "gpu_time"; }

  Result<std::unique_ptr<Buffer>> allocate(std::size_t bytes) override;
  Status upload(Buffer& to, std::span<const std::byte> from) override;
  Status download(std::span<std::byte> to, const Buffer& from) override;
  Status copy(Buffer& to, const Buffer& from) override;
  Status fill(Buffer& buffer, unsigned char value) override;

  [[nodiscard]] sdk::Stream stream() override { return sdk::Stream{queue()}; }
  Status synchronize() override;
  void enter(const Place& place) override;
  Result<bool> keeps_to_stream(const std::function<void()>& work) override;
  Status begin_placement(bool alone) override;
  void turn(std::string_view side) override { profiling_.turn(side); }
  void open_range(std::string_view name) override { ranges_.open(name); }
  void close_range() override { ranges_.close(); }
  void leave_to_profiler() override { profiling_.leave_to_others(); }
  Result<std::vector<KernelUse>> kernels(const std::function<void()>& work, const Looking& how) override;
  Result<std::vector<CounterValue>> counters(const std::function<void()>& work, CacheMode cache,
                                             const std::vector<std::string>& names) override;

  // An exception of `work` passes through, with the gate open.
  // Of a batch that is recorded the gate is closed before its graph is launched.
  Result<std::unique_ptr<Batch>> record(int calls, std::function<void(int)> work) override;
  std::optional<Control> control() override;
  [[nodiscard]] std::string gate_obstacle() const override { return gate_obstacle_; }
  [[nodiscard]] std::size_t cache_bytes() const override {
    return static_cast<std::size_t>(std::max(0, properties_.l2CacheSize));
  }

  // Under a tool that a closed gate does not go with (gate_obstacle()), `gated` is not heeded.
  Result<Timing> time(const std::function<void()>& work, const TimingOptions& options) override;
  Result<Seconds> time_first_call(const std::function<void()>& work) override;
  Status preheat(Seconds duration) override;
  double clock_ghz() override;
  [[nodiscard]] Seconds now() override { return host_now(); }
  void begin_conditions() override;
  std::optional<Conditions> conditions() override;
  void begin_memory() override {
    staging_.prepare();  // none of a case's memory
    memory_.begin();
  }
  std::optional<std::size_t> peak_memory() override { return memory_.peak(); }

 private:
  CudaDevice(int ordinal, const cudaDeviceProp& properties);
  Status create_resources();
  // The stream for whatever is no sample; the cache is evicted no more once something was queued there.
  cudaStream_t queue() {
    evicting_ = false;
    return stream_;
  }
  void go_home();
  Status make_cold();
  Status evict_ahead();
  TracedWork traced(const std::function<void()>& work, CacheMode cache);
  Result<Timing> finish_sample(bool forced, cudaError_t launched);

  int ordinal_;
  cudaDeviceProp properties_;
  sdk::DeviceTraits traits_;
  CacheFlusher flusher_;
  MemoryMeter memory_;
  Staging staging_;
  Ranges ranges_;
  Profiling profiling_;
  std::unique_ptr<Streams> streams_;
  cudaStream_t stream_ = nullptr;  // of streams_, the one in use
  bool evicting_ = false;          // its last work evicts the cache
  Seconds finished_ = 0;           // when the last sample was seen to have ended, on the host's clock
  cudaEvent_t begin_ = nullptr;
  cudaEvent_t end_ = nullptr;
  std::unique_ptr<Gate> gate_;
  std::string gate_obstacle_;
  std::optional<std::optional<Control>> control_;  // once it was asked for
  std::unique_ptr<ClockMeter> meter_;
  std::unique_ptr<Nvml> nvml_;
  std::optional<Conditions> conditions_before_;
};

}  // namespace harness::cuda
