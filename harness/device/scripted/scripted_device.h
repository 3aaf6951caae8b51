// ScriptedDevice: host memory as on the CPU, durations from a script (script.md), a virtual clock. Work
// really runs, so results are verified; it is never timed, and nothing sleeps. Tests of the stop rule, the
// warm-up, the gate and whole runs get exact numbers. One thread uses it.
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
  bool tells_processes = true;
  Conditions conditions;
};

struct ScriptedCase {
  std::string match = "*";
  std::string side;
  double us = 100;
  std::optional<double> hot_us;
  std::vector<double> process_us;
  std::optional<double> alone_us;
  double process_sd = 0;
  double placement_sd = 0;
  double sample_sd = 0;
  std::vector<double> samples;
  double outliers = 0;
  double outlier_factor = 2;
  std::optional<double> first_call_us;
  double load_us = 0;
  double setup_us = 0;
  double overhead_us = 10;
  double warmup_factor = 1;
  double warmup_calls = 10;
  std::optional<double> batch_us;
  double batch_overhead_us = 5;
  int gate_forced_every = 0;
  std::optional<double> launch_us;
  std::vector<double> call_ghz;      // of successive calls in a placement; none: `boost_duty` says it
  std::optional<double> boost_duty;  // a call after a pause for a larger one runs at `slow_ghz`
  double slow_ghz = 1;
  double takes_bytes = 0;
  double watts = 0;                    // while its calls follow each other
  std::optional<double> sustained_us;  // a call then; none: as ever
  double round_pause_us = 0;           // between rounds of them
  std::vector<ScriptedConditions> conditions;
  std::vector<KernelUse> kernels;
  std::vector<std::string> process_code;  // of all its kernels, by process; none: as the kernels say
  std::vector<double> process_launches;   // likewise: how often a call launches each
  std::vector<CounterValue> counters;
  std::optional<Identity> identity;  // none: the device tells nothing
  std::optional<ScriptedError> error;
};

// A counter of energy. Its steps are counted from the begin of a watch.
struct ScriptedEnergy {
  double idle_watts = 0;
  std::vector<double> step_ms{100};     // between two steps, in turn; none: it stands still
  double reading_us = 1000;             // how long one takes, with the counter's value at its middle
  std::optional<double> back_after_ms;  // of a watch: it begins again at 0
  std::optional<double> cap_watts;
};

struct Script {
  std::uint64_t seed = 1;
  Machine machine;                // with ceilings
  std::vector<double> clock_ghz;  // of successive readings; none: the device has no such measure
  std::optional<double> memory_bytes;
  double started = 1767225600;
  double process_apart_s = 60;
  std::optional<Control> control = {};
  double batch_below_us = 0;
  std::size_t cache_bytes = 4096;
  std::optional<Note> gate_obstacle = {};
  std::optional<ScriptedEnergy> energy = {};  // none: the device has no counter
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
  void queue(const Work& work) override;
  void enter(const Place& place) override;
  void turn(std::string_view side) override;
  Scope range(std::string_view name) override;
  Result<Timing> time(const Work& work, const TimingOptions& options) override;
  Result<std::unique_ptr<Batch>> record(int calls, NumberedWork work) override;
  std::optional<Control> control() override { return script_.control; }
  [[nodiscard]] Seconds batch_below() const override { return script_.batch_below_us * 1e-6; }
  [[nodiscard]] std::optional<Note> gate_obstacle() const override { return script_.gate_obstacle; }
  [[nodiscard]] std::size_t cache_bytes() const override { return script_.cache_bytes; }
  Result<Seconds> time_first_call(const Work& work) override;
  Status preheat(Seconds duration) override;
  Status full_power(Seconds duration) override;
  double clock_ghz() override;
  Result<std::unique_ptr<Buffer>> allocate(std::size_t bytes) override;
  Since<std::size_t> watch_peak() override;
  [[nodiscard]] Seconds now() override { return now_; }
  [[nodiscard]] Seconds unix_time() override;
  Since<Conditions> watch_conditions() override;
  std::optional<int> other_processes() override;
  Since<EnergyLog> watch_energy() override;
  std::optional<double> power_cap() override;
  // The work itself runs once.
  Result<std::vector<EndedCalls>> work_through(const Round& round, Seconds duration) override;
  void idle(Seconds duration) override { now_ += duration; }
  Result<Launches> launches(const CaseCalls& calls) override;
  Result<std::vector<KernelUse>> kernels(const Work& work, const CallPattern& pattern) override;
  Result<std::vector<CounterValue>> counters(const Work& work, CacheMode cache,
                                             const std::vector<std::string>& names) override;

  // All buffers that were taken, given back and refused.
  [[nodiscard]] const std::vector<AllocationEvent>& allocations() const { return ledger_->log(); }
  // How long preheat() was asked for, call by call.
  [[nodiscard]] const std::vector<Seconds>& preheats() const { return preheats_; }
  [[nodiscard]] const std::vector<Seconds>& full_powers() const { return full_powers_; }
  // The pauses before timed calls in placements, 0 included.
  [[nodiscard]] const std::vector<Seconds>& pauses() const { return pauses_; }
  // Null where the script says nothing of this process and placement.
  [[nodiscard]] const ScriptedConditions* conditions_now() const;
  // The energy that was used up to a time, in joules.
  [[nodiscard]] double joules(Seconds at) const;
  // Whether the call that runs now is audited. Scripts count only the others.
  [[nodiscard]] bool auditing() const { return auditing_; }

 private:
  // The time of one call alone: `told`, or the time that the script says, with noise.
  [[nodiscard]] double microseconds(CacheMode cache, std::optional<double> told = {}) const;
  Result<Timing> play(double us, const Work& work, const TimingOptions& options);
  [[nodiscard]] double noise(std::string_view level, int placement, int index) const;
  [[nodiscard]] bool fails_now() const;
  [[nodiscard]] std::vector<KernelUse> kernels_now() const;
  [[nodiscard]] double boost_ghz() const;
  // The clock of a call of `us`; 0 where the script does not say.
  [[nodiscard]] double call_ghz(double us, Seconds pause) const;
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
  bool auditing_ = false;
  int gated_calls_ = 0;              // in this placement
  std::optional<std::string> lost_;  // why the device is gone
  std::size_t clock_readings_ = 0;
  std::vector<Seconds> preheats_, full_powers_;
  std::vector<Seconds> pauses_;
  std::shared_ptr<MemoryLedger> ledger_ = std::make_shared<MemoryLedger>();
  std::size_t taken_by_work_ = 0;  // bytes, since watch_peak()
  struct Drawn {
    Seconds at;
    double joules;
  };
  std::vector<Drawn> drawn_{{0, 0}};  // at the begin and the end of each round; it is a line between them
};

}  // namespace harness
