// The larger error of both checks.
#include <algorithm>

#include "harness/measure/metrics/collector.h"

namespace harness {
namespace {

class ErrorOfResult final : public MetricCollector {
 public:
  void add_to(ProcessResult& result, const MeasuredCase& /*measured*/) override {
    result.series.push_back(single_value(error_metric, result.process,
                                         std::max(result.verification->before, result.verification->after)));
  }
};

}  // namespace

std::unique_ptr<MetricCollector> collect_error(const CollectorOptions& /*options*/) {
  return std::make_unique<ErrorOfResult>();
}

}  // namespace harness
