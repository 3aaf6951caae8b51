#include "harness/measure/metrics/collector.h"

#include <algorithm>
#include <utility>

namespace harness {
namespace {

struct Entry {
  std::string_view metric;
  std::unique_ptr<MetricCollector> (*make)(const CollectorOptions&);
};

#define HARNESS_METRIC(name, unit, better, bearing, summary) Entry{#name, collect_##name},
constexpr Entry entries[] = {HARNESS_COLLECTED_METRICS(HARNESS_METRIC)};
#undef HARNESS_METRIC

}  // namespace

Collectors collectors_for(const CollectorOptions& options) {
  const std::vector<std::string>& wanted = options.planned.metrics;
  Collectors collectors;
  for (const Entry& entry : entries)
    if (std::find(wanted.begin(), wanted.end(), entry.metric) != wanted.end())
      collectors.push_back(entry.make(options));
  return collectors;
}

Series series_of(const BuiltInMetric& metric, ProcessSamples samples) {
  return {std::string(metric.name), std::string(metric.unit), metric.direction, {std::move(samples)}};
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

Note missing(const BuiltInMetric& metric, NoteCode why) {
  return {why, {{"metric", std::string(metric.name)}}};
}

}  // namespace harness
