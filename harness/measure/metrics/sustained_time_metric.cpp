// The time of a call among calls without pauses (energy/measure_energy.h, which notes why there is none).
#include "harness/measure/case/microseconds.h"
#include "harness/measure/metrics/collector.h"

namespace harness {
namespace {

class SustainedTime final : public MetricCollector {
 public:
  void add_to(ProcessResult& result, const MeasuredCase& measured) override {
    if (measured.energy.call)
      result.series.push_back(
          single_value(sustained_time_metric, result.process, to_microseconds(*measured.energy.call)));
  }
};

}  // namespace

std::unique_ptr<MetricCollector> collect_sustained_time(const CollectorOptions& /*options*/) {
  return std::make_unique<SustainedTime>();
}

}  // namespace harness
