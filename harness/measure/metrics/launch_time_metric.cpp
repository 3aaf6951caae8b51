// The host's time to queue each sample's call.
#include <utility>

#include "harness/measure/case/microseconds.h"
#include "harness/measure/metrics/collector.h"

namespace harness {
namespace {

class LaunchTime final : public MetricCollector {
 public:
  explicit LaunchTime(const TimingMode& timing) : timing_(timing) {}

  void after_sample(const Timing& timing) override {
    if (timing.launch) placement_.samples.push_back(to_microseconds(*timing.launch));
  }
  void after_placement() override {
    if (!placement_.samples.empty()) launches_.placements.push_back(std::exchange(placement_, {}));
  }
  void add_to(ProcessResult& result, const MeasuredCase& /*measured*/) override {
    if (launches_.placements.empty()) {
      result.notes.push_back(missing(launch_time_metric, timing_ == TimingMode::batch
                                                             ? NoteCode::metric_of_single_calls
                                                             : NoteCode::metric_untold));
      return;
    }
    launches_.process = result.process;
    result.series.push_back(series_of(launch_time_metric, std::move(launches_)));
  }

 private:
  const TimingMode& timing_;  // of the case, which may choose it later
  Placement placement_;       // being sampled
  ProcessSamples launches_;
};

}  // namespace

std::unique_ptr<MetricCollector> collect_launch_time(const CollectorOptions& options) {
  return std::make_unique<LaunchTime>(options.planned.sampling.timing);
}

}  // namespace harness
