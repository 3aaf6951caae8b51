#include "harness/model/pin/figures.h"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <limits>
#include <map>
#include <numeric>
#include <span>
#include <string_view>
#include <utility>
#include <vector>

#include "harness/model/clock_reason.h"
#include "harness/stats/estimate/estimator.h"

namespace harness {
namespace {

constexpr double not_known = std::numeric_limits<double>::quiet_NaN();

// `value` with so many significant digits, so that a pin holds it in few.
double with_digits(double value, int digits) {
  if (value == 0 || !std::isfinite(value)) return value;
  const int exponent = digits - 1 - static_cast<int>(std::floor(std::log10(std::abs(value))));
  if (exponent <= 0 || exponent > 22) return value;
  // Divided by, so that the result is the double nearest to its decimal.
  const double scale = std::pow(10.0, exponent);
  return std::round(value * scale) / scale;
}

constexpr int sensor_digits = 5;

// A running mean of what sensors tell.
class SensorMean {
 public:
  void add(const std::optional<double>& value) {
    if (!value || !std::isfinite(*value)) return;
    sum_ += *value;
    ++count_;
  }
  [[nodiscard]] std::optional<double> value() const {
    if (count_ == 0) return std::nullopt;
    return with_digits(sum_ / count_, sensor_digits);
  }

 private:
  double sum_ = 0;
  double count_ = 0;
};

const std::string power_cap_name(name_of(ClockReason::power_cap));

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

// Collects the conditions around the placements of a process.
class Surroundings {
 public:
  void add(const Placement& placement) {
    if (placement.clock_ghz > 0) clock_.add(placement.clock_ghz);
    if (!placement.conditions) return;
    const Conditions& now = *placement.conditions;
    if (!(placement.clock_ghz > 0) && now.sm_clock_mhz && *now.sm_clock_mhz > 0)
      clock_.add(*now.sm_clock_mhz / 1000);
    ++found_.known;
    if (!now.throttled.empty()) ++found_.named;
    add_throttling(placement, now);
    if (now.other_processes > 0) ++found_.shared;
    found_.most_others = std::max(found_.most_others, now.other_processes);
    if (now.load) add_load(*now.load);
    temperature_.add(now.temperature_c);
    power_.add(now.power_w);
    sm_clock_.add(now.sm_clock_mhz);
    memory_clock_.add(now.memory_clock_mhz);
  }

  ConditionFigures finish() {
    found_.clock_ghz = clock_.value();
    found_.sm_clock_mhz = sm_clock_.value();
    found_.memory_clock_mhz = memory_clock_.value();
    found_.power_w = power_.value();
    found_.temperature_c = temperature_.value();
    if (loaded_)
      found_.load =
          HostLoad{cpus_, others_.value(), stolen_.value(), queue_.value(), stalled_.value(), held_.value()};
    return std::move(found_);
  }

 private:
  // Where the clock of each sample was read, the power limit counts only if it made samples slow.
  void add_throttling(const Placement& placement, const Conditions& now) {
    const bool read = placement.duty > 0, slow = read && ran_slow(placement);
    bool throttled = false;
    for (const std::string& reason : now.throttled) {
      if (is_chosen(reason) || (read && !slow && reason == power_cap_name)) continue;
      throttled = true;
      ++found_.reasons[reason];
    }
    if (slow && !throttled) {
      throttled = true;
      ++found_.reasons[power_cap_name];
    }
    if (!throttled) return;
    ++found_.throttled;
    found_.throttled_samples += static_cast<int>(placement.samples.size());
  }

  void add_load(const HostLoad& load) {
    loaded_ = true;
    if (load.others) ++found_.loads;
    if (load.cpus) cpus_ = load.cpus;
    others_.add(load.others);
    stolen_.add(load.stolen);
    queue_.add(load.queue);
    stalled_.add(load.stalled);
    held_.add(load.held);
  }

  ConditionFigures found_;
  bool loaded_ = false;
  std::optional<int> cpus_;
  SensorMean clock_, temperature_, power_, sm_clock_, memory_clock_;
  SensorMean others_, stolen_, queue_, stalled_, held_;
};

constexpr std::size_t enough_for_quarters = 16;
constexpr std::size_t enough_for_steps = 20;
constexpr std::size_t few_values = 8;

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

std::vector<double> samples_of(const ProcessSamples& process) {
  std::vector<double> all;
  for (const Placement& placement : process.placements)
    all.insert(all.end(), placement.samples.begin(), placement.samples.end());
  return all;
}

}  // namespace

std::size_t sample_count(const ProcessSamples& process) {
  std::size_t count = process.figures ? static_cast<std::size_t>(process.figures->samples) : 0;
  for (const Placement& placement : process.placements) count += placement.samples.size();
  return count;
}

double mean_sample(const ProcessSamples& process) {
  if (process.figures) return process.figures->mean;
  double sum = 0;
  std::size_t count = 0;
  for (const Placement& placement : process.placements) {
    sum += std::reduce(placement.samples.begin(), placement.samples.end());
    count += placement.samples.size();
  }
  return count == 0 ? not_known : sum / static_cast<double>(count);
}

std::optional<double> mean_of_placements(const ProcessSamples& process) {
  if (process.figures) return process.figures->plain.value_or(process.figures->mean);
  double sum = 0;
  std::size_t count = 0;
  for (const Placement& placement : process.placements) {
    if (placement.samples.empty()) continue;
    const double mean = std::reduce(placement.samples.begin(), placement.samples.end()) /
                        static_cast<double>(placement.samples.size());
    if (!std::isfinite(mean)) continue;
    sum += mean;
    ++count;
  }
  if (count == 0) return std::nullopt;
  return sum / static_cast<double>(count);
}

std::optional<double> median_sample(const ProcessSamples& process) {
  if (process.figures) return process.figures->median;
  const std::vector<double> all = samples_of(process);
  return all.empty() ? 0 : stats::quantile(all, 0.5);
}

ConditionFigures conditions_of(const ProcessSamples& process) {
  if (process.figures) return process.figures->conditions;
  Surroundings surroundings;
  for (const Placement& placement : process.placements)
    if (!placement.samples.empty()) surroundings.add(placement);
  return surroundings.finish();
}

std::size_t slow_calls(const ProcessSamples& process, double log_value) {
  if (process.figures) return static_cast<std::size_t>(process.figures->slow);
  const double slow = (1 + slow_call) * std::exp(log_value);
  std::size_t count = 0;
  for (const Placement& placement : process.placements)
    count += static_cast<std::size_t>(std::count_if(placement.samples.begin(), placement.samples.end(),
                                                    [slow](double sample) { return sample > slow; }));
  return count;
}

double start_of(const ProcessSamples& process) {
  if (process.figures) return process.figures->started;
  double first = 0;
  for (const Placement& placement : process.placements)
    if (placement.started > 0 && (first == 0 || placement.started < first)) first = placement.started;
  return first;
}

std::optional<double> slowing_of(const ProcessSamples& process, stats::Lanes& lanes) {
  if (process.figures) return process.figures->slowing;
  double sum = 0;
  std::size_t count = 0;
  const auto add = [&](double slowing) {
    if (!std::isfinite(slowing)) return;
    sum += slowing;
    ++count;
  };
  const auto take = [&] {
    if (lanes.size() == 0) return;
    lanes.sort();
    for (std::size_t lane = 0; lane < lanes.size(); lane += 2) {
      const double first = stats::quantile_sorted(lanes.sorted(lane), 0.5);
      add(std::log(stats::quantile_sorted(lanes.sorted(lane + 1), 0.5) / first));
    }
    lanes.clear();
  };
  for (const Placement& placement : process.placements) {
    const std::span<const double> all(placement.samples);
    const std::size_t quarter = all.size() / 4;
    if (all.size() < enough_for_quarters) continue;
    if (quarter > stats::Lanes::longest) {
      take();
      add(std::log(stats::median(all.last(quarter)) / stats::median(all.first(quarter))));
      continue;
    }
    lanes.add(all.first(quarter));
    lanes.add(all.last(quarter));
    if (lanes.full()) take();
  }
  take();
  if (count == 0) return std::nullopt;
  return sum / static_cast<double>(count);
}

double step_of(const Series& series) {
  if (series.all) return series.all->step;
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

std::optional<double> constant_of(const Series& series) {
  std::optional<double> first;
  const auto differs = [&](double value) {
    if (!first) first = value;
    return value != *first;
  };
  for (const ProcessSamples& process : series.processes) {
    if (process.figures && (!process.figures->constant || differs(*process.figures->constant)))
      return std::nullopt;
    for (const Placement& placement : process.placements)
      for (const double sample : placement.samples)
        if (differs(sample)) return std::nullopt;
  }
  return first;
}

SeriesFigures all_samples_of(const Series& series) {
  if (series.all) return *series.all;
  std::vector<double> all;
  for (const ProcessSamples& process : series.processes)
    for (const double sample : samples_of(process))
      if (std::isfinite(sample)) all.push_back(sample);
  SeriesFigures found;
  found.samples = static_cast<int>(all.size());
  if (all.empty()) return found;
  found.mean = stats::mean(all);
  found.sd = all.size() > 1 ? stats::standard_deviation(all) : 0;
  const auto [least, most] = std::minmax_element(all.begin(), all.end());
  found.min = *least;
  found.max = *most;
  constexpr double fractions[] = {0.5, 0.95, 0.99};
  const std::vector<double> quantiles = stats::quantiles_in_place(all, fractions);
  found.median = quantiles[0];
  found.p95 = quantiles[1];
  found.p99 = quantiles[2];
  return found;
}

}  // namespace harness
