// MetricCollector: measures one metric of a case beside its time. To add a metric: a file here with its
// collector, and a line in model/known_metrics.h.
//
//   class Launches final : public MetricCollector {
//     void after_sample(const Timing& timing) override { ... }
//     void add_to(ProcessResult& result, const MeasuredCase&) override { ... }
//   };
//   std::unique_ptr<MetricCollector> collect_launch_time(const CollectorOptions&) {
//     return std::make_unique<Launches>();
//   }
//
// Nothing is asked of the device while it is timed. A collector belongs to one build and one process.
#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "harness/device/device.h"
#include "harness/model/known_metrics.h"
#include "harness/model/plan.h"
#include "harness/model/record.h"

namespace harness {

struct CollectorOptions {
  const PlannedCase& planned;
  bool alone = true;  // no other build is measured in this process
};

// The use of calls that follow each other without a pause, each where it is known.
struct SteadyUse {
  std::optional<double> joules = {};  // a call
  std::optional<Seconds> call = {};
};

// A case whose samples are all taken.
struct MeasuredCase {
  const ProcessSamples& times;                // of its calls
  std::size_t buffer_bytes = 0;               // of its tensors and workspace
  std::optional<std::size_t> own_bytes = {};  // that the variant takes itself (case/identify.h)
  SteadyUse energy = {};                      // energy/measure_energy.h
};

class MetricCollector {
 public:
  MetricCollector() = default;
  MetricCollector(const MetricCollector&) = delete;
  MetricCollector& operator=(const MetricCollector&) = delete;
  virtual ~MetricCollector() = default;

  // The moments of a case, in order.
  virtual void before_construction(Device& /*device*/) {}
  virtual void after_construction(Device& /*device*/) {}
  virtual void after_first_call(Seconds /*elapsed*/) {}
  virtual void after_sample(const Timing& /*timing*/) {}
  virtual void after_placement() {}
  // Adds the series, or a note why there is none. The result holds everything but its time.
  virtual void add_to(ProcessResult& result, const MeasuredCase& measured) = 0;
};

using Collectors = std::vector<std::unique_ptr<MetricCollector>>;

// The collectors of the metrics that the case asks for.
Collectors collectors_for(const CollectorOptions& options);

// For collectors ------------------------------------------------------------------------------------------

#define HARNESS_METRIC(name, unit, better, bearing, summary) \
  std::unique_ptr<MetricCollector> collect_##name(const CollectorOptions& options);
HARNESS_COLLECTED_METRICS(HARNESS_METRIC)
#undef HARNESS_METRIC

Series series_of(const BuiltInMetric& metric, ProcessSamples samples);

// One value a process: one placement of one sample.
Series single_value(std::string metric, std::string unit, Direction direction, int process, double value);
Series single_value(const BuiltInMetric& metric, int process, double value);

// The note that a metric has no value, with the code that tells why.
Note missing(const BuiltInMetric& metric, NoteCode why);

}  // namespace harness
