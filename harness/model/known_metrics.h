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
// The larger of both checks' ||out - ref|| / ||ref|| of the worst output.
inline constexpr BuiltInMetric error_metric{"error", "", Direction::lower_is_better,
                                            "relative error of the result"};
// What the harness allocates for a call: tensors and workspace. What the variant allocates is not in it.
inline constexpr BuiltInMetric buffer_memory_metric{"buffer_memory", "bytes", Direction::lower_is_better,
                                                    "tensors and workspace of a call"};
// Of the host, on devices that have a queue.
inline constexpr BuiltInMetric launch_time_metric{"launch_time", "us", Direction::lower_is_better,
                                                  "host time to queue a call"};

// Time by the device's own clock, which is read on both sides of each placement; on devices that have one.
inline constexpr BuiltInMetric cycles_metric{"cycles", "cycles", Direction::lower_is_better,
                                             "clock cycles of a warm call"};
// Beyond what was in use before the variant was constructed: tensors, workspace, and whatever the variant,
// its libraries and its code took until its first result. On devices that tell.
inline constexpr BuiltInMetric peak_memory_metric{"peak_memory", "bytes", Direction::lower_is_better,
                                                  "device memory in use at most"};

inline constexpr std::array built_in_metrics{time_metric,          first_call_metric,  error_metric,
                                             buffer_memory_metric, launch_time_metric, cycles_metric,
                                             peak_memory_metric};

// Whether a workload must not call a metric of its own so.
inline bool is_reserved_metric(std::string_view name) {
  const auto same = [&](const BuiltInMetric& metric) { return metric.name == name; };
  return std::any_of(built_in_metrics.begin(), built_in_metrics.end(), same) || is_time_of_device(name);
}

}  // namespace harness
