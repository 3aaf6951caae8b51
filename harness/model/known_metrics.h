// The metrics that the harness measures of every case, as suites name them; workloads add their own
// (sdk/metric.h). In records `time` is called gpu_time or wall_time, whichever the device measures, and
// first_call stands beside the samples of its series.
#pragma once

#include <algorithm>
#include <array>
#include <string_view>

#include "harness/model/device_kinds.h"
#include "harness/model/record.h"

namespace harness {

struct BuiltInMetric {
  std::string_view name;
  std::string_view unit;
  Direction direction = Direction::lower_is_better;
  std::string_view summary;
};

inline constexpr BuiltInMetric time_metric{"time", "us", Direction::lower_is_better, "a warm call"};
inline constexpr BuiltInMetric first_call_metric{"first_call", "us", Direction::lower_is_better,
                                                 "the cold first call"};

// The others, one line each: metric(name, unit, which direction is better, summary). Each has a collector of
// the same name in measure/metrics/. Records hold them in this order.
//
//   cycles         time by the device's own clock, which is read on both sides of each placement.
//   error          the larger of both checks' ||out - ref|| / ||ref|| of the worst output.
//   buffer_memory  bytes that the harness allocates for a call; the variant's own are not in it.
//   peak_memory    bytes beyond those in use before the variant was constructed, until its first result.
//   launch_time    the host's, on devices that have a queue.
// clang-format off
#define HARNESS_COLLECTED_METRICS(metric) \
  metric(cycles, "cycles", lower_is_better, "clock cycles of a warm call") \
  metric(error, "", lower_is_better, "relative error of the result") \
  metric(buffer_memory, "bytes", lower_is_better, "tensors and workspace of a call") \
  metric(peak_memory, "bytes", lower_is_better, "device memory in use at most") \
  metric(launch_time, "us", lower_is_better, "host time to queue a call, on CUDA")
// clang-format on

// cycles_metric, error_metric, ...
#define HARNESS_METRIC(name, unit, better, summary) \
  inline constexpr BuiltInMetric name##_metric{#name, unit, Direction::better, summary};
HARNESS_COLLECTED_METRICS(HARNESS_METRIC)
#undef HARNESS_METRIC

#define HARNESS_METRIC(name, unit, better, summary) name##_metric,
inline constexpr BuiltInMetric built_in_metrics[] = {time_metric, first_call_metric,
                                                     HARNESS_COLLECTED_METRICS(HARNESS_METRIC)};
#undef HARNESS_METRIC

// Whether a workload must not call a metric of its own so.
inline bool is_reserved_metric(std::string_view name) {
  const auto same = [&](const BuiltInMetric& metric) { return metric.name == name; };
  return std::any_of(std::begin(built_in_metrics), std::end(built_in_metrics), same) ||
         is_time_of_device(name);
}

}  // namespace harness
