// The sum of a call's kernel times, as the profiler saw them in this process after the samples.
#include "harness/measure/metrics/collector.h"

namespace harness {
namespace {

class KernelTime final : public MetricCollector {
 public:
  void add_to(ProcessResult& result, const MeasuredCase& /*measured*/) override {
    double sum = 0;
    for (const KernelUse& kernel : result.kernels) sum += kernel.us * kernel.launches;
    if (sum > 0)
      result.series.push_back(single_value(kernel_time_metric, result.process, sum));
    else
      result.notes.push_back(missing(kernel_time_metric, NoteCode::metric_untold));
  }
};

}  // namespace

std::unique_ptr<MetricCollector> collect_kernel_time(const CollectorOptions& /*options*/) {
  return std::make_unique<KernelTime>();
}

}  // namespace harness
