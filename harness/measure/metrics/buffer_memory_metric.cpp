// The bytes that the harness allocates for a call.
#include "harness/measure/metrics/collector.h"

namespace harness {
namespace {

class BufferMemory final : public MetricCollector {
 public:
  void add_to(ProcessResult& result, const MeasuredCase& measured) override {
    result.series.push_back(
        single_value(buffer_memory_metric, result.process, static_cast<double>(measured.buffer_bytes)));
  }
};

}  // namespace

std::unique_ptr<MetricCollector> collect_buffer_memory(const CollectorOptions& /*options*/) {
  return std::make_unique<BufferMemory>();
}

}  // namespace harness
