#include "harness/measure/case/metrics.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <stdexcept>

#include "harness/base/text.h"

namespace harness {

void Reported::report(std::string_view name, double value) {
  const auto same = [&](const auto& one) { return one.name == name; };
  const std::string shown = printable(name);
  if (std::none_of(declared_.begin(), declared_.end(), same)) {
    std::vector<std::string> known;
    for (const sdk::MetricSpec& metric : declared_) known.push_back(metric.name);
    const std::string advice = suggestion(name, known);
    throw std::invalid_argument(fmt::format("metric `{}` is reported but not declared{}{}", shown,
                                            advice.empty() ? "" : "; ", advice));
  }
  if (std::any_of(values_.begin(), values_.end(), same))
    throw std::invalid_argument(fmt::format("metric `{}` is reported twice", shown));
  if (!std::isfinite(value))
    throw std::invalid_argument(fmt::format("metric `{}` is reported as {}", shown, value));
  values_.push_back({std::string(name), value});
}

void Reported::note(std::string_view sentence) {
  constexpr std::size_t longest = 500, most = 10;
  if (notes_.size() < most && !sentence.empty()) notes_.push_back(printable(sentence.substr(0, longest)));
}

void Reported::add_to(ProcessResult& result, const std::vector<std::string>& wanted) const {
  result.notes.insert(result.notes.end(), notes_.begin(), notes_.end());
  for (const sdk::MetricSpec& metric : declared_) {
    if (std::find(wanted.begin(), wanted.end(), metric.name) == wanted.end()) continue;
    const auto found = std::find_if(values_.begin(), values_.end(),
                                    [&](const Value& value) { return value.name == metric.name; });
    if (found == values_.end()) {
      result.notes.push_back(
          fmt::format("metric `{}` is missing: neither the workload nor the variant reported it",
                      printable(metric.name)));
      continue;
    }
    const Direction direction =
        metric.better == sdk::Better::lower ? Direction::lower_is_better : Direction::higher_is_better;
    result.series.push_back(single_value(metric.name, metric.unit, direction, result.process, found->value));
  }
}

bool contains(const std::vector<std::string>& metrics, const BuiltInMetric& metric) {
  return std::find(metrics.begin(), metrics.end(), metric.name) != metrics.end();
}

void add_cycles(ProcessResult& result, const std::vector<std::string>& wanted, const ProcessSamples& times) {
  if (!contains(wanted, cycles_metric)) return;
  constexpr double cycles_per_us_and_ghz = 1000;
  ProcessSamples cycles;
  cycles.process = times.process;
  for (const Placement& placement : times.placements) {
    if (!(placement.clock_ghz > 0)) continue;
    Placement& converted = cycles.placements.emplace_back(placement);
    converted.clock_ghz = 0;  // it is in the samples: to compare them, no clock is needed any more
    for (double& sample : converted.samples)
      sample = std::round(sample * placement.clock_ghz * cycles_per_us_and_ghz);
  }
  if (cycles.placements.empty())
    result.notes.emplace_back("cycles are missing: this device does not tell its clock");
  else
    result.series.push_back(Series{std::string(cycles_metric.name),
                                   std::string(cycles_metric.unit),
                                   cycles_metric.direction,
                                   {std::move(cycles)}});
}

Series single_value(std::string metric, std::string unit, Direction direction, int process, double value) {
  Placement placement;
  placement.samples = {value};
  ProcessSamples samples;
  samples.process = process;
  samples.placements.push_back(std::move(placement));
  return {std::move(metric), std::move(unit), direction, {std::move(samples)}};
}

Series single_value(const BuiltInMetric& metric, int process, double value) {
  return single_value(std::string(metric.name), std::string(metric.unit), metric.direction, process, value);
}

}  // namespace harness
