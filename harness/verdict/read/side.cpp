#include "harness/verdict/read/side.h"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <map>
#include <numeric>
#include <span>
#include <string_view>
#include <utility>

#include "harness/base/units.h"
#include "harness/model/clock_reason.h"

namespace harness {
namespace {

// The first sample that cannot be judged. A time of 0 was not measured; of any other metric 0 is a value.
std::optional<UnusableSample> find_unusable(const ProcessSamples& process, const std::string& unit) {
  const bool zero_is_a_value = seconds_per_unit(unit) == 0;
  for (const Placement& placement : process.placements)
    for (const double sample : placement.samples)
      if (!std::isfinite(sample) || sample < 0 || (sample == 0 && !zero_is_a_value))
        return UnusableSample{process.process, sample};
  return {};
}

// When the first placement of a process began; 0: unknown.
double start_of(const ProcessSamples& process) {
  double first = 0;
  for (const Placement& placement : process.placements)
    if (placement.started > 0 && (first == 0 || placement.started < first)) first = placement.started;
  return first;
}

// A running mean.
class Mean {
 public:
  void add(const std::optional<double>& value) {
    if (!value || !std::isfinite(*value)) return;
    sum_ += *value;
    ++count_;
  }
  [[nodiscard]] std::optional<double> value() const {
    if (count_ == 0) return std::nullopt;
    return sum_ / static_cast<double>(count_);
  }

 private:
  double sum_ = 0;
  std::size_t count_ = 0;
};

const std::string power_cap(name_of(ClockReason::power_cap));

// A clock that somebody set, or that a display needs, is no throttling: it never changes.
bool is_chosen(std::string_view reason) {
  return reason == "clock_setting" || reason == "display";
}

// Up to this share of a placement's samples, slow ones do not move its trimmed mean.
constexpr double tolerable_slow_share = 0.1;

bool ran_slow(const Placement& placement) {
  return static_cast<double>(placement.slow_samples) >
         tolerable_slow_share * static_cast<double>(placement.samples.size());
}

// Collects the conditions around the placements of a series.
class Surroundings {
 public:
  void add(const Placement& placement) {
    ++conditions_.placements;
    if (placement.clock_ghz > 0) clock_.add(placement.clock_ghz);
    if (!placement.conditions) return;
    const Conditions& now = *placement.conditions;
    if (!(placement.clock_ghz > 0) && now.sm_clock_mhz && *now.sm_clock_mhz > 0)
      clock_.add(*now.sm_clock_mhz / 1000);
    ++conditions_.known;
    // Where the clock of each sample was read, the power limit counts only if it made samples slow.
    const bool read = placement.duty > 0, slow = read && ran_slow(placement);
    bool throttled = false;
    for (const std::string& reason : now.throttled) {
      if (is_chosen(reason) || (read && !slow && reason == power_cap)) continue;
      throttled = true;
      ++conditions_.reasons[reason];
    }
    if (slow && !throttled) {
      throttled = true;
      ++conditions_.reasons[power_cap];
    }
    if (throttled) {
      ++conditions_.throttled;
      conditions_.throttled_samples += placement.samples.size();
    }
    if (now.other_processes > 0) ++conditions_.shared;
    conditions_.most_others = std::max(conditions_.most_others, now.other_processes);
    if (now.load) add_load(*now.load);
    temperature_.add(now.temperature_c);
    power_.add(now.power_w);
    sm_clock_.add(now.sm_clock_mhz);
  }

  void finish(SideReading& reading) {
    conditions_.temperature_c = temperature_.value();
    conditions_.power_w = power_.value();
    conditions_.sm_clock_mhz = sm_clock_.value();
    conditions_.load = {cpus_,          others_.value(),  stolen_.value(),
                        queue_.value(), stalled_.value(), held_.value()};
    conditions_.shared_known = shared_known();
    reading.conditions = std::move(conditions_);
    reading.clock_ghz = clock_.value().value_or(0);
  }

 private:
  void add_load(const HostLoad& load) {
    if (load.others) ++loads_;
    if (load.cpus) cpus_ = load.cpus;
    others_.add(load.others);
    stolen_.add(load.stolen);
    queue_.add(load.queue);
    stalled_.add(load.stalled);
    held_.add(load.held);
  }

  // A device without sensors used to tell its conditions only where others used it: it was asked at all
  // placements.
  [[nodiscard]] std::size_t shared_known() const {
    if (loads_ > 0) return loads_;
    const bool senses = temperature_.value() || power_.value() || sm_clock_.value();
    return conditions_.known > 0 && !senses ? conditions_.placements : conditions_.known;
  }

  SideConditions conditions_;
  std::optional<int> cpus_;
  std::size_t loads_ = 0;  // placements that tell how many CPUs others kept busy
  Mean clock_, temperature_, power_, sm_clock_;
  Mean others_, stolen_, queue_, stalled_, held_;
};

constexpr std::size_t enough_for_quarters = 16;
constexpr std::size_t enough_for_steps = 20;
constexpr std::size_t few_values = 8;

// Log of the last quarter's median over the first's, so that a few slow samples are no drift. The mean is
// over the placements that have enough samples, all of them positive and finite.
std::optional<double> slowing_of(const ProcessSamples& process, stats::Lanes& lanes) {
  Mean mean;
  const auto take = [&] {
    if (lanes.size() == 0) return;
    lanes.sort();
    for (std::size_t lane = 0; lane < lanes.size(); lane += 2) {
      const double first = stats::quantile_sorted(lanes.sorted(lane), 0.5);
      mean.add(std::log(stats::quantile_sorted(lanes.sorted(lane + 1), 0.5) / first));
    }
    lanes.clear();
  };
  for (const Placement& placement : process.placements) {
    const std::span<const double> all(placement.samples);
    const std::size_t quarter = all.size() / 4;
    if (all.size() < enough_for_quarters) continue;
    if (quarter > stats::Lanes::longest) {
      take();
      mean.add(std::log(stats::median(all.last(quarter)) / stats::median(all.first(quarter))));
      continue;
    }
    lanes.add(all.first(quarter));
    lanes.add(all.last(quarter));
    if (lanes.full()) take();
  }
  take();
  return mean.value();
}

// The distinct values of samples, while they are few.
class FewValues {
 public:
  // Whether they still are.
  bool add(double sample) {
    ++samples_;
    const auto next = values_.find(sample);
    if (next != values_.end()) {
      ++next->second;
      return true;
    }
    if (values_.size() == few_values) return false;
    values_.emplace(sample, 1);
    return true;
  }
  // The least distance between two of them; 0 where too few samples tell none.
  [[nodiscard]] double step() const {
    // One value beside equal ones is an outlier.
    const bool is_alone =
        values_.size() == 2 && (values_.begin()->second == 1 || values_.rbegin()->second == 1);
    if (values_.size() < 2 || is_alone || samples_ < enough_for_steps) return 0;
    double least = values_.rbegin()->first - values_.begin()->first;
    for (auto one = std::next(values_.begin()); one != values_.end(); ++one)
      least = std::min(least, one->first - std::prev(one)->first);
    return least;
  }

 private:
  std::map<double, std::size_t> values_;  // with how often each came
  std::size_t samples_ = 0;
};

// The least distance between the values of the first placement with enough samples, or else of all samples,
// when they are few: the clock comes in such steps. 0 otherwise.
double step_of(const Series& series) {
  FewValues all;
  bool are_few = true;
  for (const ProcessSamples& process : series.processes)
    for (const Placement& placement : process.placements) {
      if (placement.samples.size() >= enough_for_steps) {
        FewValues own;
        for (const double sample : placement.samples)
          if (!own.add(sample)) return 0;
        return own.step();
      }
      for (std::size_t i = 0; are_few && i < placement.samples.size(); ++i)
        are_few = all.add(placement.samples[i]);
    }
  return are_few ? all.step() : 0;
}

// The value that every sample has; std::nullopt when they differ, or there is none.
std::optional<double> constant_of(const Series& series) {
  const double* first = nullptr;
  for (const ProcessSamples& process : series.processes)
    for (const Placement& placement : process.placements)
      for (const double& sample : placement.samples) {
        if (first == nullptr) first = &sample;
        if (sample != *first) return std::nullopt;
      }
  return first == nullptr ? std::nullopt : std::optional<double>(*first);
}

// The share of slow calls of a process, and the log of the mean of all its calls.
void take_slow_calls(SideReading& reading, const ProcessSamples& process,
                     const stats::ProcessEstimate& estimate) {
  const double slow = (1 + slow_call) * std::exp(estimate.log_value);
  std::size_t count = 0;
  double sum = 0;
  for (const Placement& placement : process.placements) {
    sum += std::reduce(placement.samples.begin(), placement.samples.end());
    count += static_cast<std::size_t>(std::count_if(placement.samples.begin(), placement.samples.end(),
                                                    [slow](double sample) { return sample > slow; }));
  }
  const double samples = static_cast<double>(estimate.samples);
  reading.slow_shares.push_back(static_cast<double>(count) / samples);
  reading.log_means.push_back(std::log(sum / samples));
}

void take_estimates(SideReading& reading, const Series& series,
                    std::span<const stats::ProcessEstimate> estimates) {
  const bool is_time = seconds_per_unit(series.unit) > 0 && series.direction == Direction::lower_is_better;
  for (std::vector<double>* values : {&reading.log_values, &reading.outlier_rates, &reading.started})
    values->reserve(estimates.size());
  for (std::vector<int>* ids : {&reading.sessions, &reading.numbers}) ids->reserve(estimates.size());
  if (is_time) reading.step = step_of(series);
  if (is_time)
    for (std::vector<double>* values : {&reading.slow_shares, &reading.log_means})
      values->reserve(estimates.size());
  for (std::size_t i = 0; i < estimates.size(); ++i) {
    const stats::ProcessEstimate& estimate = estimates[i];
    if (estimate.samples == 0) {
      reading.empty.push_back(series.processes[i].process);
      continue;
    }
    ++reading.with_samples;
    if (std::isnan(estimate.log_value)) {
      if (!reading.unusable) reading.unusable = find_unusable(series.processes[i], series.unit);
      reading.zeros = true;
      continue;
    }
    reading.log_values.push_back(estimate.log_value);
    reading.started.push_back(start_of(series.processes[i]));
    reading.sessions.push_back(series.processes[i].session);
    reading.numbers.push_back(series.processes[i].process);
    if (is_time) take_slow_calls(reading, series.processes[i], estimate);
    reading.outlier_rates.push_back(static_cast<double>(estimate.outliers.far) /
                                    static_cast<double>(estimate.samples));
    reading.samples += estimate.samples;
    reading.outliers.mild += estimate.outliers.mild;
    reading.outliers.far += estimate.outliers.far;
  }
  if (!reading.log_values.empty()) reading.moments = stats::moments(reading.log_values);
}

// Sets the values that only diagnostics need, for the processes in `log_values`.
void take_oddities(SideReading& reading, const Series& series,
                   std::span<const stats::ProcessEstimate> estimates, stats::Lanes& lanes) {
  if (reading.step == 0) reading.step = step_of(series);
  reading.slowing.reserve(reading.log_values.size());
  for (std::size_t i = 0; i < estimates.size(); ++i)
    if (!std::isnan(estimates[i].log_value))
      if (const auto slowing = slowing_of(series.processes[i], lanes)) reading.slowing.push_back(*slowing);
}

// Records are larger than the processor's caches, so the memory of a process is asked for ahead of its use.
// The compiler takes a call that only does this for one without effect, hence inline.
[[gnu::always_inline]] inline void fetch_ahead(const std::vector<ProcessSamples>& processes,
                                               std::size_t now) {
  if (now + 2 < processes.size())
    for (const Placement& placement : processes[now + 2].placements) __builtin_prefetch(&placement);
  if (now + 1 < processes.size())
    for (const Placement& placement : processes[now + 1].placements)
      __builtin_prefetch(placement.samples.data());
}

}  // namespace

SideReading with_plain_means(SideReading reading, const Series& series) {
  reading.log_values.clear();
  reading.outlier_rates.clear();
  reading.started.clear();
  reading.slowing.clear();
  reading.sessions.clear();
  reading.numbers.clear();
  reading.slow_shares.clear();
  reading.log_means.clear();
  reading.outliers = {};
  reading.samples = 0;
  for (const ProcessSamples& process : series.processes) {
    Mean mean;
    for (const Placement& placement : process.placements) {
      if (placement.samples.empty()) continue;
      mean.add(std::reduce(placement.samples.begin(), placement.samples.end()) /
               static_cast<double>(placement.samples.size()));
      reading.samples += placement.samples.size();
    }
    if (!mean.value()) continue;
    reading.log_values.push_back(std::log(*mean.value()));
    reading.outlier_rates.push_back(0);
    reading.sessions.push_back(process.session);
    reading.numbers.push_back(process.process);
    reading.started.push_back(start_of(process));
  }
  reading.moments = {};
  if (!reading.log_values.empty()) reading.moments = stats::moments(reading.log_values);
  return reading;
}

SideReading SideReader::read(const Series& series) {
  SideReading reading;
  estimator_.begin(series.processes.size());
  Surroundings surroundings;
  for (std::size_t i = 0; i < series.processes.size(); ++i) {
    fetch_ahead(series.processes, i);
    for (const Placement& placement : series.processes[i].placements) {
      estimator_.add_placement(i, placement.samples);
      if (placement.samples.empty()) continue;
      if (placement.forced_gates > 0)
        reading.forced_gates += static_cast<std::size_t>(placement.forced_gates);
      surroundings.add(placement);
    }
  }
  surroundings.finish(reading);
  reading.constant = constant_of(series);
  const std::span<const stats::ProcessEstimate> estimates = estimator_.finish();
  take_estimates(reading, series, estimates);
  if (for_words_) take_oddities(reading, series, estimates, lanes_);
  return reading;
}

SideReading SideReader::read(const Series& series, int most) {
  Series first{series.metric, series.unit, series.direction, {}};
  for (const ProcessSamples& process : series.processes)
    if (process.process <= most) first.processes.push_back(process);
  return first.processes.size() == series.processes.size() ? read(series) : read(first);
}

double forced_share(const SideReading& reading) {
  return reading.samples == 0
             ? 0
             : static_cast<double>(reading.forced_gates) / static_cast<double>(reading.samples);
}

Side side_of(const SideReading& reading) {
  Side side;
  side.processes = static_cast<int>(reading.log_values.size());
  if (reading.log_values.empty()) return side;
  side.center = std::exp(reading.moments.mean);
  side.process_sd = std::sqrt(reading.moments.variance);
  if (reading.samples > 0)
    side.outlier_rate = static_cast<double>(reading.outliers.far) / static_cast<double>(reading.samples);
  side.process_values.reserve(reading.log_values.size());
  for (const double value : reading.log_values) side.process_values.push_back(std::exp(value));
  return side;
}

}  // namespace harness
