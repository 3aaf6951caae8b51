// The energy of a call among calls without pauses (energy/measure_energy.h, which notes why there is none).
#include "harness/measure/metrics/collector.h"

namespace harness {
namespace {

class Energy final : public MetricCollector {
 public:
  void add_to(ProcessResult& result, const MeasuredCase& measured) override {
    if (measured.energy.joules)
      result.series.push_back(single_value(energy_metric, result.process, *measured.energy.joules));
  }
};

}  // namespace

std::unique_ptr<MetricCollector> collect_energy(const CollectorOptions& /*options*/) {
  return std::make_unique<Energy>();
}

}  // namespace harness
