// Each time as cycles of the clock that its placement read.
#include <cmath>

#include "harness/measure/metrics/collector.h"

namespace harness {
namespace {

constexpr double cycles_per_us_and_ghz = 1000;

class Cycles final : public MetricCollector {
 public:
  void add_to(ProcessResult& result, const MeasuredCase& measured) override {
    ProcessSamples cycles;
    cycles.process = result.process;
    for (const Placement& placement : measured.times.placements) {
      if (!(placement.clock_ghz > 0)) continue;
      Placement& converted = cycles.placements.emplace_back(placement);
      converted.clock_ghz = 0;  // it is in the samples: to compare them, no clock is needed any more
      for (double& sample : converted.samples)
        sample = std::round(sample * placement.clock_ghz * cycles_per_us_and_ghz);
    }
    if (cycles.placements.empty())
      result.notes.push_back(missing(cycles_metric, NoteCode::metric_without_clock));
    else
      result.series.push_back(series_of(cycles_metric, std::move(cycles)));
  }
};

}  // namespace

std::unique_ptr<MetricCollector> collect_cycles(const CollectorOptions& /*options*/) {
  return std::make_unique<Cycles>();
}

}  // namespace harness
