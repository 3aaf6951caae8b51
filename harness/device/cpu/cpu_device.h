// CpuDevice: variants that run on the host, timed by the monotonic clock. There is no launch gate (a
// call has no queue to wait in), and `cold` means that every core has read a buffer of at least twice
// the last-level cache before the sample. One thread uses it; it starts threads of its own only inside
// preheat(), measure_ceilings() and the cache sweep, and joins them before it returns.
#pragma once

#include <optional>
#include <vector>

#include "harness/device/cpu/cpu_conditions.h"
#include "harness/device/host/host_memory.h"

namespace harness {

class CpuDevice final : public HostMemoryDevice {
 public:
  CpuDevice();

  [[nodiscard]] const sdk::DeviceTraits& traits() const override { return traits_; }
  [[nodiscard]] Machine fingerprint() override;

  // "copy_bytes_per_s": memcpy by all threads between arrays of at least twice the last-level cache,
  // best pass, bytes read plus bytes written. "gemm_flops_per_s": the rate of independent f32 fused
  // multiply-adds in the widest vector registers of this CPU, all threads, 2 FLOP each. It is the upper
  // bound of any matrix product, which no library is needed to measure; a real one reaches 70-95 % of
  // it. Takes less than half a second.
  Result<std::map<std::string, double>> measure_ceilings() override;
  [[nodiscard]] std::string_view time_metric() const override { return "wall_time"; }

  Result<Timing> time(const std::function<void()>& work, const TimingOptions& options) override;
  Result<Seconds> time_first_call(const std::function<void()>& work) override;
  Status preheat(Seconds duration) override;
  std::optional<Control> control() override;
  [[nodiscard]] std::size_t cache_bytes() const override;
  double clock_ghz() override { return 0; }  // no portable measure that is not a guess
  [[nodiscard]] Seconds now() override;
  void begin_conditions() override { conditions_before_ = read_cpu(); }
  std::optional<Conditions> conditions() override;

 private:
  Status sweep_cache();

  sdk::DeviceTraits traits_;
  std::optional<CpuReading> conditions_before_;
  std::optional<Control> control_;
  std::vector<std::byte> sweep_;  // allocated at the first cold sample
};

}  // namespace harness
