#include "harness/verdict/read/side.h"

#include <algorithm>
#include <cmath>
#include <span>
#include <utility>

#include "harness/base/units.h"
#include "harness/model/pin/figures.h"

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

// A running mean over placements, which come as means of some.
class Mean {
 public:
  void add(const std::optional<double>& value, double placements) {
    if (!value || !std::isfinite(*value)) return;
    sum_ += *value * placements;
    weight_ += placements;
  }
  [[nodiscard]] std::optional<double> value() const {
    if (weight_ == 0) return std::nullopt;
    return sum_ / weight_;
  }

 private:
  double sum_ = 0;
  double weight_ = 0;
};

// Collects the conditions around the processes of a series.
class Surroundings {
 public:
  // `placements`: of the process, with samples.
  void add(const ConditionFigures& now, std::size_t placements) {
    const double weight = static_cast<double>(placements);
    conditions_.placements += placements;
    clock_.add(now.clock_ghz, weight);
    if (now.known == 0) return;
    add_to(conditions_.known, now.known);
    add_to(conditions_.throttled, now.throttled);
    add_to(conditions_.throttled_samples, now.throttled_samples);
    add_to(conditions_.shared, now.shared);
    for (const auto& [reason, count] : now.reasons) add_to(conditions_.reasons[reason], count);
    conditions_.most_others = std::max(conditions_.most_others, now.most_others);
    add_to(loads_, now.loads);
    if (now.load) add_load(*now.load, weight);
    temperature_.add(now.temperature_c, weight);
    power_.add(now.power_w, weight);
    sm_clock_.add(now.sm_clock_mhz, weight);
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
  static void add_to(std::size_t& sum, int count) { sum += static_cast<std::size_t>(count); }

  void add_load(const HostLoad& load, double weight) {
    if (load.cpus) cpus_ = load.cpus;
    others_.add(load.others, weight);
    stolen_.add(load.stolen, weight);
    queue_.add(load.queue, weight);
    stalled_.add(load.stalled, weight);
    held_.add(load.held, weight);
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

// The share of slow calls of a process, and the log of the mean of all its calls.
void take_slow_calls(SideReading& reading, const ProcessSamples& process,
                     const stats::ProcessEstimate& estimate) {
  reading.slow_shares.push_back(static_cast<double>(slow_calls(process, estimate.log_value)) /
                                static_cast<double>(estimate.samples));
  reading.log_means.push_back(std::log(mean_sample(process)));
}

// That of its samples, or what a pin holds of it.
stats::ProcessEstimate estimate_of(const ProcessSamples& process, const stats::ProcessEstimate& of_samples) {
  if (!process.figures) return of_samples;
  const ProcessFigures& held = *process.figures;
  return {held.log_value,
          static_cast<std::size_t>(held.samples),
          {static_cast<std::size_t>(held.mild), static_cast<std::size_t>(held.far)}};
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
    const stats::ProcessEstimate estimate = estimate_of(series.processes[i], estimates[i]);
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
    if (!std::isnan(estimate_of(series.processes[i], estimates[i]).log_value))
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
    reading.samples += sample_count(process);
    const std::optional<double> mean = mean_of_placements(process);
    if (!mean) continue;
    reading.log_values.push_back(std::log(*mean));
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
    const ProcessSamples& process = series.processes[i];
    std::size_t placements = 0;
    int forced = 0;
    if (process.figures) {
      placements = static_cast<std::size_t>(process.figures->placements);
      forced = process.figures->forced_gates;
    }
    for (const Placement& placement : process.placements) {
      estimator_.add_placement(i, placement.samples);
      if (placement.samples.empty()) continue;
      ++placements;
      forced += std::max(placement.forced_gates, 0);
    }
    reading.forced_gates += static_cast<std::size_t>(forced);
    surroundings.add(conditions_of(process), placements);
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
  first.all = series.all;
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
