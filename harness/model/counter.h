// Hardware counters as suites name them: how a name is recognised, and what a profiler's library says of the
// names a case asks for before anything runs. Plain data; device/open.h asks the library.
#pragma once

#include <algorithm>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "harness/model/counter_fact.h"
#include "harness/model/record.h"

namespace harness {

// Whether a metric is a hardware counter, spelled as profilers do: unit__quantity.rollup, such as
// "dram__bytes_read.sum". The dot tells: no workload can declare a name with one.
inline bool is_counter_name(std::string_view metric) {
  return metric.find('.') != std::string_view::npos;
}

// The better direction of a counter: of hit rates, rates and shares of a peak the higher, of all else (bytes,
// cycles, instructions) the lower.
inline Direction counter_direction(std::string_view metric) {
  const auto says = [&](std::string_view part) { return metric.find(part) != std::string_view::npos; };
  return says("hit_rate") || says("throughput") || says("pct_of_peak") || says("per_second")
             ? Direction::higher_is_better
             : Direction::lower_is_better;
}

inline bool any_counter(const std::vector<std::string>& metrics) {
  return std::any_of(metrics.begin(), metrics.end(), [](const auto& one) { return is_counter_name(one); });
}

struct UnknownCounter {
  std::string name;
  std::string nearest;  // "dram__bytes_read.sum"; "" when none is near
};

// The passes that read some counters together on one chip.
struct CounterPlan {
  CounterFact outcome;                  // of the look-up
  int passes = 0;                       // times that a call is replayed; 0 where a name is unknown
  std::vector<UnknownCounter> unknown;  // in the order asked for
};

// One counter of one call.
struct CounterValue {
  std::string name;
  std::optional<double> value;
  std::string unit;                    // "bytes", "%", "ns", or as the profiler calls it; "" when unknown
  std::optional<CounterFact> missing;  // why there is no value
};

}  // namespace harness
