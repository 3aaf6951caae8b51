// CpuDevice: runs variants on the host and times them by the monotonic clock. No launch gate, because a call
// waits in no queue. Before a `cold` sample every core reads a buffer of at least twice the last-level cache.
// One thread uses it; it joins the threads that it starts.
#pragma once

#include <map>
#include <optional>
#include <vector>

#include "harness/device/cpu/cpu_conditions.h"
#include "harness/device/device.h"
#include "harness/device/host/host_memory.h"

namespace harness {

class CpuDevice final : public Device, public Timer, public HostMemory, public Profiler, public Sensors {
 public:
  CpuDevice();

  [[nodiscard]] const sdk::DeviceTraits& traits() const override { return traits_; }
  [[nodiscard]] Timer& timer() override { return *this; }
  [[nodiscard]] Memory& memory() override { return *this; }
  [[nodiscard]] Profiler& profiler() override { return *this; }
  [[nodiscard]] Sensors& sensors() override { return *this; }

  [[nodiscard]] Machine fingerprint() override;

  // "copy_bytes_per_s": memcpy by all threads between arrays of at least twice the last-level cache, best
  // pass, bytes read plus bytes written. "gemm_flops_per_s": the rate of independent f32 fused multiply-adds
  // in the widest vector registers, all threads, 2 FLOP each. That is the upper bound of a matrix product; a
  // real one reaches 70-95 % of it. Takes less than half a second.
  Result<std::map<std::string, double>> measure_ceilings() override;

  Result<Timing> time(const Work& work, const TimingOptions& options) override;
  void idle(Seconds duration) override;
  Result<Seconds> time_first_call(const Work& work) override;
  Result<std::unique_ptr<Batch>> record(int calls, NumberedWork work) override;
  Status synchronize() override { return {}; }
  Status preheat(Seconds duration) override;
  std::optional<Control> control() override;
  [[nodiscard]] std::size_t cache_bytes() const override;
  [[nodiscard]] Seconds now() override;
  Since<Conditions> watch_conditions() override;

  // The identity of a call: the machine code and the variables that the variant can reach (object_code.h), and
  // the number of threads. Files that it opens are not in it.
  Result<Launches> launches(const CaseCalls& calls) override;

 private:
  Status sweep_cache();

  sdk::DeviceTraits traits_;
  std::optional<Control> control_;
  CpuWatch watch_{read_cpu()};
  std::vector<std::byte> sweep_;                // allocated at the first cold sample
  std::map<const void*, Identity> identities_;  // by the file that holds a variant
};

}  // namespace harness
