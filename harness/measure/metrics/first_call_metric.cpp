// The wall time of the first call. The second of two builds in one process finds libraries loaded by the
// first, so the metric is for one build alone.
#include <optional>

#include "harness/measure/case/microseconds.h"
#include "harness/measure/metrics/collector.h"

namespace harness {
namespace {

class FirstCall final : public MetricCollector {
 public:
  explicit FirstCall(bool alone) : alone_(alone) {}

  void after_first_call(Seconds elapsed) override {
    if (alone_) elapsed_ = elapsed;
  }
  void add_to(ProcessResult& result, const MeasuredCase& /*measured*/) override {
    if (elapsed_)  // no note: every plan asks for it
      result.series.push_back(single_value(first_call_metric, result.process, to_microseconds(*elapsed_)));
  }

 private:
  bool alone_;
  std::optional<Seconds> elapsed_;
};

}  // namespace

std::unique_ptr<MetricCollector> collect_first_call(const CollectorOptions& options) {
  return std::make_unique<FirstCall>(options.alone);
}

}  // namespace harness
