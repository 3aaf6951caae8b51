// The metrics that the harness measures of every case, as suites name them; workloads add their own
// (sdk/metric.h). In records `time` is called gpu_time or wall_time, whichever the device measures.
#pragma once

#include <algorithm>
#include <array>
#include <string_view>

#include "harness/model/device_kinds.h"
#include "harness/model/record.h"

namespace harness {

// Whether a metric that a suite asks for decides where no gate names it.
enum class Bearing { decides, informs };

struct BuiltInMetric {
  std::string_view name;
  std::string_view unit;
  Direction direction = Direction::lower_is_better;
  Bearing bearing = Bearing::decides;
  std::string_view summary;
};

inline constexpr BuiltInMetric time_metric{"time", "us", Direction::lower_is_better, Bearing::decides,
                                           "a warm call"};

// The others, one line each: metric(name, unit, which direction is better, bearing, summary). Each has a
// collector of the same name in measure/metrics/. Records hold them in this order. All but cycles and
// launch_time have one value a process.
//
//   first_call     wall time, with all that the host waits for; every plan asks for it.
//   setup_time     the host's, of the variant's constructor: plans, compilation, its own memory.
//   kernel_time    sum of the kernels' times a call, by a profiler in a pass of its own in every process.
//   cycles         time by the device's own clock, which is read on both sides of each placement.
//   error          the larger of both checks' ||out - ref|| / ||ref|| of the worst output.
//   buffer_memory  bytes that the harness allocates for a call; the variant's own are not in it.
//   peak_memory    bytes of buffer_memory and of what the variant takes itself, without libraries' and code.
//   launch_time    the host's, on devices that have a queue.
//   energy         of the whole device, by its counter, in a pass of its own in every process.
//   sustained_time of the same pass; it may be below the boost clock.
// clang-format off
#define HARNESS_COLLECTED_METRICS(metric) \
  metric(first_call, "us", lower_is_better, informs, "the cold first call") \
  metric(setup_time, "us", lower_is_better, informs, "host time to construct the variant") \
  metric(kernel_time, "us", lower_is_better, informs, "sum of a call's kernel times, by a profiler, on CUDA") \
  metric(cycles, "cycles", lower_is_better, decides, "clock cycles of a warm call") \
  metric(error, "", lower_is_better, decides, "relative error of the result") \
  metric(buffer_memory, "bytes", lower_is_better, decides, "tensors and workspace of a call") \
  metric(peak_memory, "bytes", lower_is_better, decides, "tensors, workspace and memory of the variant's own, on CUDA") \
  metric(launch_time, "us", lower_is_better, decides, "host time to queue a call, on CUDA") \
  metric(energy, "J", lower_is_better, decides, "energy of a call without pauses, on CUDA") \
  metric(sustained_time, "us", lower_is_better, informs, "a call without pauses, on CUDA")
// clang-format on

// cycles_metric, error_metric, ...
#define HARNESS_METRIC(name, unit, better, bearing, summary) \
  inline constexpr BuiltInMetric name##_metric{#name, unit, Direction::better, Bearing::bearing, summary};
HARNESS_COLLECTED_METRICS(HARNESS_METRIC)
#undef HARNESS_METRIC

#define HARNESS_METRIC(name, unit, better, bearing, summary) name##_metric,
inline constexpr BuiltInMetric built_in_metrics[] = {time_metric, HARNESS_COLLECTED_METRICS(HARNESS_METRIC)};
#undef HARNESS_METRIC

// By its name in suites; null for a workload's own metric.
constexpr const BuiltInMetric* find_built_in(std::string_view name) {
  const auto* const found = std::find_if(std::begin(built_in_metrics), std::end(built_in_metrics),
                                         [&](const BuiltInMetric& metric) { return metric.name == name; });
  return found == std::end(built_in_metrics) ? nullptr : found;
}

constexpr bool informs_by_default(std::string_view name) {
  const BuiltInMetric* metric = find_built_in(name);
  return metric != nullptr && metric->bearing == Bearing::informs;
}

// Whether only a GPU can tell it, so that a suite without one cannot ask for it.
constexpr bool is_of_gpus(std::string_view name) {
  return name == energy_metric.name || name == sustained_time_metric.name;
}

// Whether a workload must not call a metric of its own so.
inline bool is_reserved_metric(std::string_view name) {
  return find_built_in(name) != nullptr || is_time_of_device(name);
}

}  // namespace harness
