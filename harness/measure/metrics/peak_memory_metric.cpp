// The largest number of bytes in use until the first result is checked. Only for one build alone: two builds
// in one process share buffers and the libraries' memory.
#include <optional>

#include "harness/measure/metrics/collector.h"

namespace harness {
namespace {

class PeakMemory final : public MetricCollector {
 public:
  explicit PeakMemory(bool alone) : alone_(alone) {}

  void before_construction(Device& device) override {
    if (alone_) peak_ = device.memory().watch_peak();
  }
  void after_first_check() override {
    if (peak_) bytes_ = peak_();
  }
  void add_to(ProcessResult& result, const MeasuredCase& /*measured*/) override {
    if (bytes_)
      result.series.push_back(single_value(peak_memory_metric, result.process, static_cast<double>(*bytes_)));
    else
      result.notes.push_back(
          missing(peak_memory_metric, alone_ ? NoteCode::metric_untold : NoteCode::metric_of_two_builds));
  }

 private:
  bool alone_;
  Since<std::size_t> peak_;
  std::optional<std::size_t> bytes_;
};

}  // namespace

std::unique_ptr<MetricCollector> collect_peak_memory(const CollectorOptions& options) {
  return std::make_unique<PeakMemory>(options.alone);
}

}  // namespace harness
