// The bytes of a case's tensors and workspace, and those that the variant takes itself.
#include "harness/measure/metrics/collector.h"

namespace harness {
namespace {

class PeakMemory final : public MetricCollector {
 public:
  void add_to(ProcessResult& result, const MeasuredCase& measured) override {
    if (measured.own_bytes)
      result.series.push_back(single_value(peak_memory_metric, result.process,
                                           static_cast<double>(measured.buffer_bytes + *measured.own_bytes)));
    else
      result.notes.push_back(missing(peak_memory_metric, NoteCode::metric_untold));
  }
};

}  // namespace

std::unique_ptr<MetricCollector> collect_peak_memory(const CollectorOptions& /*options*/) {
  return std::make_unique<PeakMemory>();
}

}  // namespace harness
