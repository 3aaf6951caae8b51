// The host's time to construct the variant: plans, compilation, memory that it takes itself. The second of
// two builds in one process finds libraries loaded by the first, so the metric is for one build alone.
#include <optional>

#include "harness/measure/case/microseconds.h"
#include "harness/measure/metrics/collector.h"

namespace harness {
namespace {

class SetupTime final : public MetricCollector {
 public:
  explicit SetupTime(bool alone) : alone_(alone) {}

  void before_construction(Device& device) override { started_ = device.timer().now(); }
  void after_construction(Device& device) override {
    if (alone_) elapsed_ = device.timer().now() - started_;
  }
  void add_to(ProcessResult& result, const MeasuredCase& /*measured*/) override {
    if (elapsed_)
      result.series.push_back(single_value(setup_time_metric, result.process, to_microseconds(*elapsed_)));
    else
      result.notes.push_back(missing(setup_time_metric, NoteCode::metric_of_two_builds));
  }

 private:
  bool alone_;
  Seconds started_ = 0;
  std::optional<Seconds> elapsed_;
};

}  // namespace

std::unique_ptr<MetricCollector> collect_setup_time(const CollectorOptions& options) {
  return std::make_unique<SetupTime>(options.alone);
}

}  // namespace harness
