// ScriptedDevice: host memory as on the CPU, but every duration comes from a script and the clock is virtual.
// Work really runs, so results are verified; it is never timed, and nothing sleeps. Tests of the stop rule,
// the warm-up, the gate and whole runs get exact numbers from it. One thread uses it.
//
// The script is one JSON object. All members but `version` are optional; a member that is not listed
// here is an error.
//
//   version        1
//   seed           of the noise; another seed is another session (default 1)
//   machine_class, device_uuid, ceilings {name: value}
//   clock_ghz      what the device's clock reads, or a list: of successive readings, the last of which stays
//   memory_bytes   of the device: what does not fit beside the buffers that live is refused (default: no
//   limit) fields         {name: value} of class info, or {name: {"value": v, "class": "block|warn|info"}}
//   control        {"call", "batched"}: what a call that does nothing takes, in microseconds (default: the
//                  device does not tell)
//   cache_bytes    (default 4096)
//   gate_obstacle  why nothing can be gated (default "")
//   started        Unix time in seconds at which each process begins (default 1767225600, which is
//                  2026-01-01 00:00 UTC), process_apart_s later than the one before (default 60)
//   cases          list; the first whose `match` (wildcards * and ?) fits the case id is used
//   default        used when none fits
//
// A case, durations in microseconds, standard deviations of log time:
//
//   side           "baseline" or "current": only that build of the two of an A/B run (default "": any)
//   us             true time (default 100)            hot_us        the same with a warm cache (default us)
//   process_us     [..] true times by process, cyclic; wins over us and hot_us
//   process_sd, placement_sd, sample_sd               noise at each level (default 0)
//   samples        [..] exact samples by index, cyclic; wins over everything above
//   outliers       share of samples that are far off, outlier_factor (default 2) times slower
//   first_call_us  (default 10 times us)
//   overhead_us    of virtual time around each call, a cache flush for example (default 10)
//   warmup_factor, warmup_calls   call n (from 0) of a process takes 1 + (factor - 1) exp(-n / calls)
//                  times longer (default 1, 10)
//   batch_us       of one call in a batch (default: as by itself)
//   batch_overhead_us   of a whole batch (default 5)
//   gate_forced_every   every n-th gated sample finds its gate forced (default 0: none)
//   launch_us      of the host, in queueing one call (default: the device does not tell)
//   takes_bytes    of device memory, which the variant takes for itself at its first call (default 0)
//   conditions     [{"process": p, "placement": l, "sm_clock_mhz", "memory_clock_mhz", "power_w",
//                  "temperature_c", "throttled": [..], "other_processes"}]: what the device is like; the
//                  first entry that fits is used. process 0 and placement -1, the defaults: any
//   kernels        [{"name", "grid": [x, y, z], "block": [x, y, z], "registers", "static_shared_bytes",
//                  "dynamic_shared_bytes", "launches", "us", "code", "local_bytes"}] as a record has
//                  them (model/README.md): what looking at the kernels finds
//   counters       [{"name", "value", "unit", "missing"}]: hardware counters, of which those asked for are
//                  read; without `value` one is missing for the reason `missing`
//   error          {"process": p, "placement": l, "sample": i, "message": "..."}: that call fails, and so
//                  does all that follows. process 0: any. placement -1: while warming up or verifying
//
// Noise depends on (seed, case, process, placement, index) alone, never on the order of measuring; of two
// builds in one process only that of single samples differs.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "harness/device/device.h"
#include "harness/device/host/host_memory.h"
#include "harness/device/memory_ledger.h"

namespace harness {

struct ScriptedError {
  int process = 0;
  int placement = 0;
  int sample = 0;
  std::string message = "scripted device error";
};

struct ScriptedConditions {
  int process = 0;
  int placement = -1;
  Conditions conditions;
};

struct ScriptedCase {
  std::string match = "*";
  std::string side;
  double us = 100;
  std::optional<double> hot_us;
  std::vector<double> process_us;
  double process_sd = 0;
  double placement_sd = 0;
  double sample_sd = 0;
  std::vector<double> samples;
  double outliers = 0;
  double outlier_factor = 2;
  std::optional<double> first_call_us;
  double overhead_us = 10;
  double warmup_factor = 1;
  double warmup_calls = 10;
  std::optional<double> batch_us;
  double batch_overhead_us = 5;
  int gate_forced_every = 0;
  std::optional<double> launch_us;
  double takes_bytes = 0;
  std::vector<ScriptedConditions> conditions;
  std::vector<KernelUse> kernels;
  std::vector<CounterValue> counters;
  std::optional<ScriptedError> error;
};

struct Script {
  std::uint64_t seed = 1;
  Machine machine;                // with ceilings
  std::vector<double> clock_ghz;  // of successive readings; none: the device has no such measure
  std::optional<double> memory_bytes;
  double started = 1767225600;
  double process_apart_s = 60;
  std::optional<Control> control = {};
  std::size_t cache_bytes = 4096;
  std::string gate_obstacle = {};
  std::vector<ScriptedCase> cases;
  ScriptedCase fallback;
};

// Errors name the source, the JSON path and what was expected there.
Result<Script> parse_script(std::string_view text, const std::string& source);

class ScriptedDevice : public Device, public Timer, public HostMemory, public Profiler, public Sensors {
 public:
  explicit ScriptedDevice(Script script);
  static Result<std::unique_ptr<ScriptedDevice>> load(const std::filesystem::path& path);

  [[nodiscard]] const sdk::DeviceTraits& traits() const override { return traits_; }
  [[nodiscard]] Timer& timer() override { return *this; }
  [[nodiscard]] Memory& memory() override { return *this; }
  [[nodiscard]] Profiler& profiler() override { return *this; }
  [[nodiscard]] Sensors& sensors() override { return *this; }

  [[nodiscard]] Machine fingerprint() override;
  Result<std::map<std::string, double>> measure_ceilings() override;

  Status synchronize() override;
  void enter(const Place& place) override;
  void turn(std::string_view side) override;
  Result<Timing> time(const Work& work, const TimingOptions& options) override;
  Result<std::unique_ptr<Batch>> record(int calls, NumberedWork work) override;
  std::optional<Control> control() override { return script_.control; }
  [[nodiscard]] std::string gate_obstacle() const override { return script_.gate_obstacle; }
  [[nodiscard]] std::size_t cache_bytes() const override { return script_.cache_bytes; }
  Result<Seconds> time_first_call(const Work& work) override;
  Status preheat(Seconds duration) override;
  double clock_ghz() override;
  Result<std::unique_ptr<Buffer>> allocate(std::size_t bytes) override;
  Since<std::size_t> watch_peak() override;
  [[nodiscard]] Seconds now() override { return now_; }
  [[nodiscard]] Seconds unix_time() override;
  Since<Conditions> watch_conditions() override;
  Result<std::vector<KernelUse>> kernels(const Work& work, const CallPattern& pattern) override;
  Result<std::vector<CounterValue>> counters(const Work& work, CacheMode cache,
                                             const std::vector<std::string>& names) override;

  // All buffers that were taken, given back and refused.
  [[nodiscard]] const std::vector<AllocationEvent>& allocations() const { return ledger_->log(); }
  // How long preheat() was asked for, call by call.
  [[nodiscard]] const std::vector<Seconds>& preheats() const { return preheats_; }

 private:
  // The time of one call alone: `told`, or the time that the script says, with noise.
  [[nodiscard]] double microseconds(CacheMode cache, std::optional<double> told = {}) const;
  Result<Timing> play(double us, const Work& work, const TimingOptions& options);
  [[nodiscard]] double noise(std::string_view level, int placement, int index) const;
  [[nodiscard]] bool fails_now() const;
  [[nodiscard]] const ScriptedCase& script_of(std::string_view side) const;

  class ScriptedBatch;

  Script script_;
  sdk::DeviceTraits traits_;
  Seconds now_ = 0;
  const ScriptedCase* current_;  // into script_
  std::string case_id_;
  int process_ = 0;
  int placement_ = -1;
  std::string side_;                                 // of two builds that take turns, or ""
  int index_ = 0;                                    // of the next call in this placement
  std::map<std::string, int, std::less<>> indices_;  // of the other sides, while one has its turn
  int calls_ = 0;                                    // of this case in this process, for the warm-up
  int gated_calls_ = 0;                              // in this placement
  std::optional<std::string> lost_;                  // why the device is gone
  std::size_t clock_readings_ = 0;
  std::vector<Seconds> preheats_;
  std::shared_ptr<MemoryLedger> ledger_ = std::make_shared<MemoryLedger>();
  std::size_t taken_by_work_ = 0;  // bytes, since watch_peak()
};

}  // namespace harness
