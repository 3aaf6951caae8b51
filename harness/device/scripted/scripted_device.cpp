#include "harness/device/scripted/scripted_device.h"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <utility>

#include "harness/base/named_file.h"
#include "harness/base/text.h"
#include "harness/device/loop_batch.h"
#include "harness/model/device_kinds.h"

namespace harness {
namespace {

constexpr Seconds microsecond = 1e-6;

// FNV-1a over the parts, then the finaliser of splitmix64: the same on every platform.
class Hash {
 public:
  Hash& add(std::string_view text) {
    for (const char c : text) mix(static_cast<unsigned char>(c));
    mix(0xFFU);
    return *this;
  }
  Hash& add(std::uint64_t value) {
    for (int shift = 0; shift < 64; shift += 8) mix((value >> shift) & 0xFFU);
    return *this;
  }
  [[nodiscard]] std::uint64_t value() const {
    std::uint64_t z = state_ + 0x9E3779B97F4A7C15U;
    z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9U;
    z = (z ^ (z >> 27)) * 0x94D049BB133111EBU;
    return z ^ (z >> 31);
  }
  // In (0, 1).
  [[nodiscard]] double uniform() const { return (static_cast<double>(value() >> 11) + 0.5) * 0x1p-53; }

 private:
  void mix(std::uint64_t byte) { state_ = (state_ ^ byte) * 0x100000001B3U; }
  std::uint64_t state_ = 0xCBF29CE484222325U;
};

Hash hash_of(std::uint64_t seed, std::string_view purpose, std::string_view case_id, int process,
             int placement, int index) {
  return Hash()
      .add(seed)
      .add(purpose)
      .add(case_id)
      .add(static_cast<std::uint64_t>(process))
      .add(static_cast<std::uint64_t>(placement))
      .add(static_cast<std::uint64_t>(index));
}

template <class T>
const T& cyclic(const std::vector<T>& values, int index) {
  return values[static_cast<std::size_t>(std::max(index, 0)) % values.size()];
}

}  // namespace

ScriptedDevice::ScriptedDevice(Script script) : script_(std::move(script)), current_(&script_.fallback) {
  traits_.kind = cpu_kind.name;
  traits_.name = "scripted";
  traits_.multiprocessors = 1;
  if (script_.memory_bytes) ledger_->limit(static_cast<std::size_t>(*script_.memory_bytes));
}

Result<std::unique_ptr<ScriptedDevice>> ScriptedDevice::load(const std::filesystem::path& path) {
  const Result<std::string> text = read_named_file(path, {".json"}, 16U << 20);
  if (!text) return fail(text.error());
  Result<Script> script = parse_script(*text, path.string());
  if (!script) return fail(script.error());
  return std::make_unique<ScriptedDevice>(std::move(*script));
}

Machine ScriptedDevice::fingerprint() {
  Machine machine = script_.machine;
  machine.ceilings.clear();
  return machine;
}

Result<std::map<std::string, double>> ScriptedDevice::measure_ceilings() {
  return script_.machine.ceilings;
}

Status ScriptedDevice::synchronize() {
  if (lost_) return fail(ErrorKind::environment, *lost_);
  return {};
}

void ScriptedDevice::enter(const Place& place) {
  if (place.case_id != case_id_ || place.process != process_) calls_ = 0;
  case_id_ = place.case_id;
  process_ = place.process;
  placement_ = place.placement;
  index_ = 0;
  gated_calls_ = 0;
  side_.clear();
  indices_.clear();
  current_ = &script_of(side_);
}

// Each side counts its own calls, so that a list of samples is replayed to both in order.
void ScriptedDevice::turn(std::string_view side) {
  if (side == side_) return;
  indices_[side_] = index_;
  side_ = side;
  index_ = indices_[side_];
  current_ = &script_of(side_);
}

// Loading and constructing a variant take as long as the script says.
Scope ScriptedDevice::range(std::string_view name) {
  if (name == "load") now_ += current_->load_us * microsecond;
  if (name == "construct") now_ += current_->setup_us * microsecond;
  return Scope();
}

const ScriptedCase& ScriptedDevice::script_of(std::string_view side) const {
  const auto found = std::find_if(script_.cases.begin(), script_.cases.end(), [&](const ScriptedCase& c) {
    return wildcard_match(c.match, case_id_) && (c.side.empty() || c.side == side);
  });
  return found == script_.cases.end() ? script_.fallback : *found;
}

// A standard normal variate by Box and Muller's transform.
double ScriptedDevice::noise(std::string_view level, int placement, int index) const {
  const Hash hash = hash_of(script_.seed, level, case_id_, process_, placement, index);
  const double u = hash.uniform();
  const double v = Hash(hash).add(1).uniform();
  return std::sqrt(-2 * std::log(u)) * std::cos(2 * std::numbers::pi * v);
}

double ScriptedDevice::microseconds(CacheMode cache, std::optional<double> told) const {
  const ScriptedCase& c = *current_;
  if (!c.samples.empty() && placement_ >= 0) return cyclic(c.samples, index_);
  double us = cache == CacheMode::hot ? c.hot_us.value_or(c.us) : c.us;
  if (!c.process_us.empty()) us = cyclic(c.process_us, process_ - 1);
  if (is_alone(process_)) us = c.alone_us.value_or(us);
  if (told) us = *told;
  us *= std::exp(c.process_sd * noise("process", 0, 0) + c.placement_sd * noise("placement", placement_, 0) +
                 c.sample_sd * noise("sample" + side_, placement_, index_));
  us *= 1 + (c.warmup_factor - 1) * std::exp(-calls_ / c.warmup_calls);
  const double draw = hash_of(script_.seed, "outlier", case_id_, process_, placement_, index_).uniform();
  return draw < c.outliers ? us * c.outlier_factor : us;
}

bool ScriptedDevice::fails_now() const {
  if (!current_->error) return false;
  const ScriptedError& error = *current_->error;
  return (error.process == 0 || error.process == process_) && error.placement == placement_ &&
         error.sample == index_;
}

double ScriptedDevice::boost_ghz() const {
  return script_.clock_ghz.empty() ? 0 : script_.clock_ghz.back();
}

double ScriptedDevice::call_ghz(double us, Seconds pause) const {
  const ScriptedCase& c = *current_;
  if (!c.call_ghz.empty()) return placement_ >= 0 ? cyclic(c.call_ghz, index_) : boost_ghz();
  if (!c.boost_duty) return 0;
  const double busy = us + c.overhead_us;
  return busy / (busy + pause / microsecond) > *c.boost_duty * 1.001 ? c.slow_ghz : boost_ghz();
}

Result<Timing> ScriptedDevice::time(const Work& work, const TimingOptions& options) {
  Result<Timing> timing = play(microseconds(options.cache), work, options);
  if (timing && current_->launch_us) timing->launch = *current_->launch_us * microsecond;
  return timing;
}

// A batch takes its overhead and `calls` times what a call takes now.
class ScriptedDevice::ScriptedBatch final : public Batch {
 public:
  ScriptedBatch(ScriptedDevice& device, int calls, NumberedWork work)
      : device_(device), calls_(calls), work_(std::move(work)) {}

  Result<Timing> time(const TimingOptions& options) override { return time(options, nullptr); }
  Result<Timing> watch(const TimingOptions& options, const WatchedCall& watched) override {
    return time(options, &watched);
  }
  void queue(sdk::Stream stream) override { make_calls(work_, calls_, stream, nullptr); }

 private:
  Result<Timing> time(const TimingOptions& options, const WatchedCall* watched) {
    const ScriptedCase& script = *device_.current_;
    const double us =
        script.batch_overhead_us + calls_ * device_.microseconds(options.cache, script.batch_us);
    const auto all = [&](sdk::Stream stream) { make_calls(work_, calls_, stream, watched); };
    return device_.play(us, all, options);
  }

  ScriptedDevice& device_;
  int calls_;
  NumberedWork work_;
};

Result<std::unique_ptr<Batch>> ScriptedDevice::record(int calls, NumberedWork work) {
  if (lost_) return fail(ErrorKind::environment, *lost_);
  return std::make_unique<ScriptedBatch>(*this, calls, std::move(work));
}

Result<Timing> ScriptedDevice::play(double us, const Work& work, const TimingOptions& options) {
  if (!options.audited && fails_now()) lost_ = current_->error->message;
  if (lost_) return fail(ErrorKind::environment, *lost_);
  auditing_ = options.audited;
  work({});
  if (std::exchange(auditing_, false)) return Timing{us * microsecond, false, {}};
  const double ghz = call_ghz(us, options.pause);
  if (ghz > 0 && boost_ghz() > 0) us *= boost_ghz() / ghz;
  Timing timing{us * microsecond, false, {}};
  if (options.reads_clock) timing.clock_ghz = ghz;
  if (placement_ >= 0) pauses_.push_back(options.pause);
  now_ += options.pause + timing.elapsed + current_->overhead_us * microsecond;
  if (options.gated && current_->gate_forced_every > 0 && ++gated_calls_ % current_->gate_forced_every == 0) {
    timing.gate_forced = true;
    now_ += options.gate_deadline;
  }
  ++index_;
  ++calls_;
  return timing;
}

void ScriptedDevice::queue(const Work& work) {
  work({});
  taken_by_work_ = static_cast<std::size_t>(current_->takes_bytes);
}

Result<Seconds> ScriptedDevice::time_first_call(const Work& work) {
  if (lost_) return fail(ErrorKind::environment, *lost_);
  work({});
  const Seconds elapsed = current_->first_call_us.value_or(10 * current_->us) * microsecond;
  now_ += elapsed;
  return elapsed;
}

Status ScriptedDevice::preheat(Seconds duration) {
  if (lost_) return fail(ErrorKind::environment, *lost_);
  now_ += duration;
  preheats_.push_back(duration);
  return {};
}

Status ScriptedDevice::full_power(Seconds duration) {
  if (lost_) return fail(ErrorKind::environment, *lost_);
  now_ += duration;
  full_powers_.push_back(duration);
  return {};
}

double ScriptedDevice::clock_ghz() {
  if (script_.clock_ghz.empty()) return 0;
  return script_.clock_ghz[std::min(clock_readings_++, script_.clock_ghz.size() - 1)];
}

Result<std::unique_ptr<Buffer>> ScriptedDevice::allocate(std::size_t bytes) {
  return ledger_->take(bytes, [&](std::size_t wanted) { return HostMemory::allocate(wanted); });
}

Since<std::size_t> ScriptedDevice::watch_peak() {
  ledger_->mark();
  taken_by_work_ = 0;
  return [this] { return std::optional(ledger_->peak_since_mark() + taken_by_work_); };
}

Seconds ScriptedDevice::unix_time() {
  return script_.started + script_.process_apart_s * std::max(process_ - 1, 0) + now_;
}

const ScriptedConditions* ScriptedDevice::conditions_now() const {
  for (const ScriptedConditions& one : current_->conditions)
    if ((one.process == 0 || one.process == process_) && (one.placement == -1 || one.placement == placement_))
      return &one;
  return nullptr;
}

Since<Conditions> ScriptedDevice::watch_conditions() {
  return [this]() -> std::optional<Conditions> {
    const ScriptedConditions* now = conditions_now();
    return now != nullptr ? std::optional(now->conditions) : std::nullopt;
  };
}

// A script that says nothing of them has none.
std::optional<int> ScriptedDevice::other_processes() {
  const ScriptedConditions* now = conditions_now();
  if (now != nullptr && !now->tells_processes) return std::nullopt;
  return now != nullptr ? now->conditions.other_processes : 0;
}

double ScriptedDevice::joules(Seconds at) const {
  const auto next = std::upper_bound(drawn_.begin(), drawn_.end(), at,
                                     [](Seconds time, const Drawn& one) { return time < one.at; });
  const Drawn& last = *std::prev(next);
  const double watts = next == drawn_.end() ? (script_.energy ? script_.energy->idle_watts : 0)
                                            : (next->joules - last.joules) / (next->at - last.at);
  return last.joules + watts * (at - last.at);
}

// The readings of a watch follow each other at once.
Since<EnergyLog> ScriptedDevice::watch_energy() {
  return [this, began = now_]() -> std::optional<EnergyLog> {
    if (!script_.energy) return std::nullopt;
    const ScriptedEnergy& counter = *script_.energy;
    const Seconds reading = counter.reading_us * microsecond;
    EnergySteps steps;
    Seconds stepped = began, next = began;
    int step = 0;
    const auto advance = [&] {
      stepped = std::exchange(
          next, counter.step_ms.empty() ? now_ + reading : next + cyclic(counter.step_ms, step++) * 1e-3);
    };
    advance();
    for (int i = 0; began + i * reading < now_; ++i) {
      const Seconds asked = began + i * reading, read = asked + reading / 2;
      while (next <= read) advance();
      const bool back = counter.back_after_ms && read - began > *counter.back_after_ms * 1e-3;
      if (!steps.add(back ? 0 : joules(stepped), asked, asked + reading)) break;
    }
    return steps.take();
  };
}

std::optional<double> ScriptedDevice::power_cap() {
  return script_.energy ? script_.energy->cap_watts : std::nullopt;
}

Result<std::vector<EndedCalls>> ScriptedDevice::work_through(const Round& round, Seconds duration) {
  if (lost_) return fail(ErrorKind::environment, *lost_);
  round.work({});
  const double us = microseconds(CacheMode::hot, current_->sustained_us);
  const Seconds end = now_ + duration, pause = current_->round_pause_us * microsecond;
  std::vector<EndedCalls> progress{{0, now_, 0}};
  while (now_ < end) {
    if (progress.size() > 1) now_ += pause;
    drawn_.push_back({now_, joules(now_)});
    const Seconds busy = round.calls * us * microsecond;
    drawn_.push_back({now_ + busy, drawn_.back().joules + current_->watts * busy});
    now_ += busy;
    const EndedCalls& last = progress.back();
    progress.push_back({last.calls + round.calls, now_, last.idle + (progress.size() > 1 ? pause : 0)});
  }
  return progress;
}

std::vector<KernelUse> ScriptedDevice::kernels_now() const {
  std::vector<KernelUse> kernels = current_->kernels;
  const std::vector<std::string>& codes = current_->process_code;
  const std::vector<double>& launches = current_->process_launches;
  for (KernelUse& one : kernels) {
    if (!codes.empty()) one.code = cyclic(codes, process_ - 1);
    if (!launches.empty()) one.launches = static_cast<int>(cyclic(launches, process_ - 1));
  }
  return kernels;
}

Result<Launches> ScriptedDevice::launches(const CaseCalls& calls) {
  if (lost_) return fail(ErrorKind::environment, *lost_);
  if (current_->identity) calls.call({});
  return Launches{kernels_now(), current_->identity};
}

Result<std::vector<KernelUse>> ScriptedDevice::kernels(const Work& work, const CallPattern& pattern) {
  (void)pattern;
  if (lost_) return fail(ErrorKind::environment, *lost_);
  if (!current_->kernels.empty()) work({});
  return kernels_now();
}

Result<std::vector<CounterValue>> ScriptedDevice::counters(const Work& work, CacheMode cache,
                                                           const std::vector<std::string>& names) {
  (void)cache;
  if (lost_) return fail(ErrorKind::environment, *lost_);
  if (!current_->counters.empty()) work({});
  std::vector<CounterValue> values;
  for (const std::string& name : names) {
    const auto found = std::find_if(current_->counters.begin(), current_->counters.end(),
                                    [&](const CounterValue& one) { return one.name == name; });
    values.push_back(found != current_->counters.end()
                         ? *found
                         : CounterValue{name, std::nullopt, {}, CounterFact{CounterCode::unknown_counter}});
  }
  return values;
}

}  // namespace harness
